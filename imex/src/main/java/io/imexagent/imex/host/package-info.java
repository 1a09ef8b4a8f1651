/** What the host's files and systemd say of nvidia-imex. */
@NullMarked
package io.imexagent.imex.host;

import org.jspecify.annotations.NullMarked;
