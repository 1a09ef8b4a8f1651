/*
 * /usr/bin/imex-agent of the image, which has no shell: starts the program with what packaging/container/build defines.
 * Options of the JVM that the line begins with, such as -Xmx256m, come between BEFORE and AFTER, and so win.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
  char *before[] = {BEFORE}, *after[] = {AFTER};
  char *line[sizeof before / sizeof *before + sizeof after / sizeof *after + count];
  int length = 0, word = 1;
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) line[length++] = before[i];
  while (word < count && strncmp(words[word], "-X", 2) == 0) line[length++] = words[word++];
  for (size_t i = 0; i < sizeof after / sizeof *after; i++) line[length++] = after[i];
  while (word <= count) line[length++] = words[word++]; /* with the NULL at their end */
  execv(line[0], line);
  perror(line[0]);
  return 127;
}
