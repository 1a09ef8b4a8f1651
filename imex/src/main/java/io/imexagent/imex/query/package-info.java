/** Asks nvidia-imex and systemd, reading only, within limits. */
@NullMarked
package io.imexagent.imex.query;

import org.jspecify.annotations.NullMarked;
