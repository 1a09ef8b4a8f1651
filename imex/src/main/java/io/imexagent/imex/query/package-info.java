/** Asks nvidia-imex and systemd, reading only, within limits, and parses what they and their files say. */
@NullMarked
package io.imexagent.imex.query;

import org.jspecify.annotations.NullMarked;
