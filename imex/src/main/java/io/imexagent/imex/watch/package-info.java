/** The watch of nvidia-imex, its settings, and what follows from it: device health, taint, label, Events of the Node. */
@NullMarked
package io.imexagent.imex.watch;

import org.jspecify.annotations.NullMarked;
