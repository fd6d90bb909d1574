# For the tests of this folder, read with '.': PROGRAM and SOURCE are the test's arguments.
. "$(dirname "$0")/../expect.sh"
program=$1
source=$2
worked=$source/tests/cases/active/worked_example.case
platform=$source/tests/cases/base.json
