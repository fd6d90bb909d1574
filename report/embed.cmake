# cmake -DOUTPUT=FILE -DSTYLE=FILE -DBODY=FILE -DSCRIPTS=FILE,FILE... -P embed.cmake: the page's files as C (report/web.h).
function(as_bytes file variable)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  set(${variable} "${bytes}" PARENT_SCOPE)
endfunction()

set(code "#include \"report/web.h\"\n")
set(rows "")
string(REPLACE "," ";" scripts "${SCRIPTS}")
set(number 0)
foreach(file ${STYLE} ${BODY} ${scripts})
  as_bytes(${file} bytes)
  string(APPEND code "static const unsigned char part${number}[] = {\n${bytes}0};\n")
  if(number GREATER 1)
    string(APPEND rows "    {part${number}, sizeof part${number} - 1},\n")
  endif()
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND code "const struct web_part web_style = {part0, sizeof part0 - 1};\n"
  "const struct web_part web_body = {part1, sizeof part1 - 1};\n"
  "const struct web_part web_scripts[] = {\n${rows}    {NULL, 0},\n};\n")
file(WRITE ${OUTPUT} "${code}")
