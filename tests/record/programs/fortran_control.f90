! The middle one of three barriers is not recorded.
program fortran_control
  use mpi_f08
  implicit none
  call MPI_Init()
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Pcontrol(1)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
end program
