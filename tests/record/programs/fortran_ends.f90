! Rank 1 aborts, or raises the signal whose number is the argument. libgfortran has handlers of its own, and aborts with the default
! action.
program fortran_ends
  use mpi
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function c_raise(number) bind(c, name="raise")
      import :: c_int
      integer(c_int), value :: number
    end function
  end interface
  integer :: ierr, rank
  integer(c_int) :: number
  character(len=8) :: word
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, word)
  read (word, *) number
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 1 .and. number == 0) call abort()
  if (rank == 1) number = c_raise(number)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
