! One program for each of the three Fortran bindings, chosen by -cpp with -DMPIF_H (mpif.h), -DUSE_MPI (use mpi) or
! -DUSE_MPI_F08 (use mpi_f08, without the error codes, which are optional there). A fence epoch, a post-start-complete-wait
! epoch, messages and a reduction on a ring of four ranks.
#ifdef USE_MPI_F08
#define HANDLE(name) type(name)
#define FIRST_SOURCE statuses(1)%MPI_SOURCE
#define FAILURE
#define FAILURE_ALONE
#else
#define HANDLE(name) integer
#define FIRST_SOURCE statuses(MPI_SOURCE, 1)
#define FAILURE , failure
#define FAILURE_ALONE failure
#endif
program fortran
#if defined(USE_MPI_F08)
  use mpi_f08
  use, intrinsic :: iso_c_binding
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
#ifdef USE_MPI_F08
  type(MPI_Status) :: statuses(2), status
#else
  integer :: statuses(MPI_STATUS_SIZE, 2), status(MPI_STATUS_SIZE), failure
#endif
  HANDLE(MPI_Win) :: win
  HANDLE(MPI_Group) :: world, neighbours
  HANDLE(MPI_Request) :: requests(2)
  double precision, allocatable, target :: memory(:)
  double precision :: mine(2), total
  integer :: rank, left, right, i, numbers(4), received(4)
  character(len=8) :: text
  call MPI_Init(FAILURE_ALONE)
  call get_environment_variable("PMI_RANK", text)
  if (text == " ") call get_environment_variable("OMPI_COMM_WORLD_RANK", text)
  read (text, *) rank
  left = modulo(rank - 1, 4)
  right = modulo(rank + 1, 4)
  allocate (memory(1000))
  memory = 0
  mine = (/ 1d0 + rank, 10d0 + rank /)
  numbers = (/ (rank, i=1, 4) /)
  call MPI_Win_create(memory, 8000_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win FAILURE)
  call MPI_Win_fence(0, win FAILURE)
  call MPI_Put(mine, 2, MPI_DOUBLE_PRECISION, right, 1_MPI_ADDRESS_KIND, 2, MPI_DOUBLE_PRECISION, win FAILURE)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win FAILURE)
  call MPI_Comm_group(MPI_COMM_WORLD, world FAILURE)
  call MPI_Group_incl(world, 2, (/ left, right /), neighbours FAILURE)
  call MPI_Win_post(neighbours, 0, win FAILURE)
  call MPI_Win_start(neighbours, 0, win FAILURE)
  call MPI_Put(mine, 1, MPI_DOUBLE_PRECISION, left, 5_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, win FAILURE)
  call MPI_Win_complete(win FAILURE)
  call MPI_Win_wait(win FAILURE)
  call MPI_Irecv(received, 4, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, requests(1) FAILURE)
  call MPI_Isend(numbers, 4, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2) FAILURE)
  call MPI_Waitall(2, requests, statuses FAILURE)
  if (FIRST_SOURCE /= left) error stop 3
  if (modulo(rank, 2) == 0) then
    call MPI_Send(numbers, 2, MPI_INTEGER, right, 6, MPI_COMM_WORLD FAILURE)
  else
    call MPI_Recv(received, 4, MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, status FAILURE)
  end if
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD FAILURE)
  call MPI_Group_free(neighbours FAILURE)
  call MPI_Group_free(world FAILURE)
  call MPI_Win_free(win FAILURE)
  call MPI_Finalize(FAILURE_ALONE)
  if (total /= 10 .or. memory(2) /= 1 + left .or. memory(3) /= 10 + left .or. memory(6) /= 1 + right) error stop 4
  if (any(received(3:4) /= left)) error stop 5
end program
