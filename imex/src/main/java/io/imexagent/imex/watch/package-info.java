/** The watch of nvidia-imex, and what follows from it: device health, taint, label and Events of the Node. */
@NullMarked
package io.imexagent.imex.watch;

import org.jspecify.annotations.NullMarked;
