! The program of all three Fortran bindings, here `use mpi_f08`: a fence epoch, a post-start-complete-wait epoch, messages,
! a reduction. Ranks are a ring of four.
program fortran_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  double precision, allocatable, target :: memory(:)
  double precision :: mine(2), total
  integer :: rank, left, right, i, numbers(4), received(4)
  character(len=8) :: text
  type(MPI_Win) :: win
  type(MPI_Group) :: world, neighbours
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2), status
  call MPI_Init()
  call get_environment_variable("PMI_RANK", text)
  if (text == " ") call get_environment_variable("OMPI_COMM_WORLD_RANK", text)
  read (text, *) rank
  left = modulo(rank - 1, 4)
  right = modulo(rank + 1, 4)
  allocate (memory(1000))
  memory = 0
  mine = (/ 1d0 + rank, 10d0 + rank /)
  numbers = (/ (rank, i=1, 4) /)
  call MPI_Win_create(memory, 8000_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(mine, 2, MPI_DOUBLE_PRECISION, right, 1_MPI_ADDRESS_KIND, 2, MPI_DOUBLE_PRECISION, win)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
  call MPI_Comm_group(MPI_COMM_WORLD, world)
  call MPI_Group_incl(world, 2, (/ left, right /), neighbours)
  call MPI_Win_post(neighbours, 0, win)
  call MPI_Win_start(neighbours, 0, win)
  call MPI_Put(mine, 1, MPI_DOUBLE_PRECISION, left, 5_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, win)
  call MPI_Win_complete(win)
  call MPI_Win_wait(win)
  call MPI_Irecv(received, 4, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(numbers, 4, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  if (statuses(1)%MPI_SOURCE /= left) error stop 3
  if (modulo(rank, 2) == 0) then
    call MPI_Send(numbers, 2, MPI_INTEGER, right, 6, MPI_COMM_WORLD)
  else
    call MPI_Recv(received, 4, MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, status)
  end if
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Group_free(neighbours)
  call MPI_Group_free(world)
  call MPI_Win_free(win)
  call MPI_Finalize()
  if (total /= 10 .or. memory(2) /= 1 + left .or. memory(3) /= 10 + left .or. memory(6) /= 1 + right) error stop 4
  if (any(received(3:4) /= left)) error stop 5
end program
