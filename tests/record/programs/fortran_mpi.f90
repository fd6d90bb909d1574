! fortran_f08.f90 with `use mpi` or, compiled with -cpp -DMPIF_H, with mpif.h.
program fortran_mpi
#ifdef MPIF_H
  implicit none
  include 'mpif.h'
#else
  use mpi
  implicit none
#endif
  integer :: win, world, neighbours, requests(2), statuses(MPI_STATUS_SIZE, 2), status(MPI_STATUS_SIZE), failure
  double precision, allocatable :: memory(:)
  double precision :: mine(2), total
  integer :: rank, left, right, i, numbers(4), received(4)
  character(len=8) :: text
  call MPI_Init(failure)
  call get_environment_variable("PMI_RANK", text)
  if (text == " ") call get_environment_variable("OMPI_COMM_WORLD_RANK", text)
  read (text, *) rank
  left = modulo(rank - 1, 4)
  right = modulo(rank + 1, 4)
  allocate (memory(1000))
  memory = 0
  mine = (/ 1d0 + rank, 10d0 + rank /)
  numbers = (/ (rank, i=1, 4) /)
  call MPI_Win_create(memory, 8000_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, failure)
  call MPI_Win_fence(0, win, failure)
  call MPI_Put(mine, 2, MPI_DOUBLE_PRECISION, right, 1_MPI_ADDRESS_KIND, 2, MPI_DOUBLE_PRECISION, win, failure)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, failure)
  call MPI_Comm_group(MPI_COMM_WORLD, world, failure)
  call MPI_Group_incl(world, 2, (/ left, right /), neighbours, failure)
  call MPI_Win_post(neighbours, 0, win, failure)
  call MPI_Win_start(neighbours, 0, win, failure)
  call MPI_Put(mine, 1, MPI_DOUBLE_PRECISION, left, 5_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, win, failure)
  call MPI_Win_complete(win, failure)
  call MPI_Win_wait(win, failure)
  call MPI_Irecv(received, 4, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, requests(1), failure)
  call MPI_Isend(numbers, 4, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2), failure)
  call MPI_Waitall(2, requests, statuses, failure)
  if (statuses(MPI_SOURCE, 1) /= left) stop 3
  if (modulo(rank, 2) == 0) then
    call MPI_Send(numbers, 2, MPI_INTEGER, right, 6, MPI_COMM_WORLD, failure)
  else
    call MPI_Recv(received, 4, MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, status, failure)
  end if
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, failure)
  call MPI_Group_free(neighbours, failure)
  call MPI_Group_free(world, failure)
  call MPI_Win_free(win, failure)
  call MPI_Finalize(failure)
  if (total /= 10 .or. memory(2) /= 1 + left .or. memory(3) /= 10 + left .or. memory(6) /= 1 + right) stop 4
  if (any(received(3:4) /= left)) stop 5
end program
