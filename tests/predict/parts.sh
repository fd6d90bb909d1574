# Communicators of rows, columns and planes of a grid, and windows on them: what is found in runs of a model written by hand at a
# few numbers of ranks is what that model makes at another one.
. "$(dirname "$0")/lib.sh"

known() { # NAME RANKS LARGE: calls, partners, bytes and communicators are those of the model
    for ranks in $2 $3; do
        run 0 dump $1.model --ranks $ranks
        mv out $1-$ranks.txt
    done
    files=
    for ranks in $2; do files="$files $1-$ranks.txt"; done
    run 0 model $files -o $1-found.model
    run 0 dump $1-found.model --ranks $3
    cmp -s out $1-$3.txt || fail "$1 at $3 ranks: $(diff out $1-$3.txt | head -4)"
}

# A matrix in blocks on nx * ny ranks: a sum over each row, a block from the last rank of each column to the others, blocks from
# every rank of a row to every other one into a window of the row, edges to the neighbours.
cat >grid.model <<'END'
rmacast-model 1
grid square
comm 1 along=x
comm 2 along=y
window 0 comm=1 bytes=64*nx disp_unit=1 flavor=create
window 1 bytes=4096 disp_unit=8 flavor=allocate
MPI_Comm_split comm=0 newcomm=1
MPI_Comm_split comm=0 newcomm=2
MPI_Win_create win=0
MPI_Win_allocate win=1
repeat 5
  compute 1ms
  MPI_Allreduce comm=1 bytes=8 op=MPI_SUM
  MPI_Bcast comm=2 root=neighbor(0,ny-1-y) bytes=1K
  MPI_Win_fence win=0 assert=0
  repeat nx-1 as k
    MPI_Put win=0 target=neighbor((x+1+k)%nx-x) bytes=64 disp=64*x
  end
  MPI_Win_fence win=0 assert=0
  MPI_Win_post win=1 group=neighbor(1),neighbor(0,1)
  MPI_Win_start win=1 group=neighbor(-1),neighbor(0,-1)
  MPI_Put win=1 target=neighbor(-1) bytes=512 disp=64 when=exists(neighbor(-1))
  MPI_Win_complete win=1
  MPI_Win_wait win=1
end
MPI_Barrier comm=2 when=x==0
MPI_Win_free win=0
MPI_Win_free win=1
END
known grid '4 8 16' 36
known grid '6 12 16' 60

# Only the first and the last rank of each row put, to all others of the row, which they find by post and start.
cat >ends.model <<'END'
rmacast-model 1
grid fixed side=4
comm 1 along=x
comm 2 along=y
window 0 comm=1 bytes=1024 disp_unit=1 flavor=create
MPI_Comm_split comm=0 newcomm=1
MPI_Comm_split comm=0 newcomm=2
MPI_Win_create win=0
repeat 3
  compute 1ms
  MPI_Win_post win=0 group=others
  MPI_Win_start win=0 group=others
  MPI_Put win=0 target=neighbor(3-x) bytes=32 disp=0 when=x==0
  MPI_Win_complete win=0
  MPI_Win_wait win=0
  MPI_Reduce comm=2 root=neighbor(0,-y) bytes=8 op=MPI_MAX
end
MPI_Win_free win=0
END
known ends '8 16 20' 44

# Planes and lines of a cube.
cat >cube.model <<'END'
rmacast-model 1
grid cube
comm 1
comm 2 along=xy
comm 3 along=z
comm 4 along=y
MPI_Comm_dup comm=0 newcomm=1
MPI_Comm_split comm=1 newcomm=2
MPI_Comm_split comm=1 newcomm=3
MPI_Comm_split comm=1 newcomm=4
repeat 4
  compute 1ms
  MPI_Allgather comm=2 bytes=16
  MPI_Bcast comm=3 root=neighbor(0,0,-z) bytes=1K
  MPI_Bcast comm=2 root=neighbor(-x,-y) bytes=1K
  MPI_Barrier comm=1
  MPI_Barrier comm=4
end
END
known cube '8 24 27' 64

# One column, and so one rank in each row, at 2 and 3 ranks.
known grid '2 3 4 16' 64

# A prediction with them is the replay of the run.
on="--platform $source/platforms/infiniband-64.json --engine loggp --semantics a"
run 0 predict grid-6.txt grid-12.txt grid-16.txt --ranks 60 $on --json predicted.json --program
shows '^ *MPI_Allreduce along x bytes=8$'
shows '^ *for each partner of all others, upwards from the next along x$'
shows '^ *MPI_Bcast to p-1 along y bytes=1024$'
run 0 simulate grid-60.txt $on --json simulated.json
holds predicted.json "near(.points[1].run_time_s; $(jq .run_time_s simulated.json))"

# What cannot be told is refused: rank, call and why.
for ranks in 4 8 16; do
    sed 's/^\(comm [0-9]* ranks=\)0,1$/\11,0/; s/^\(comm [0-9]* ranks=\)0,1,2,3$/\13,2,1,0/' grid-$ranks.txt >turned$ranks.txt
done
error 1 'rank 1, event 1 (MPI_Comm_split): the communicator of the 2 ranks 1, 0 is no row, column or plane' \
    predict turned4.txt turned8.txt turned16.txt --ranks 32 --platform ideal
for ranks in 4 8; do
    awk '/^3 .*Comm_split/ && !done { done = 1; sub(/ newcomm=[0-9]*/, "") } { print }' grid-$ranks.txt |
        sed '/^3 .*comm=[1-9]/d' >undefined$ranks.txt
done
error 1 'undefined4.txt:rank 3, event 1 (MPI_Comm_split): the rank gets no communicator here' \
    predict undefined4.txt undefined8.txt --ranks 16 --platform ideal
error 1 'grid-16.txt: has communicators of some of its ranks' predict grid-16.txt --replicate --ranks 32 --platform ideal
finish
