/* An array of 10,000 elements, for the picture of a large value. */
#include <stdio.h>

static int squares[10000];

int main(void)
{
  for (int i = 0; i < 10000; i++) {
    squares[i] = i * i % 1009;
  }
  int *first = squares;
  printf("%d %d\n", *first, squares[9999]);
  return 0;
}
