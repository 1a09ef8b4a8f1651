/** Files that are replaced whole or not at all: durable ones survive a crash of the host, passing ones need not. */
@NullMarked
package io.imexagent.files;

import org.jspecify.annotations.NullMarked;
