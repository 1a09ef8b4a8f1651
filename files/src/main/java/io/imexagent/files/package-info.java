/** Durable files: a file is replaced whole or not at all, and what was replaced survives a crash. */
@NullMarked
package io.imexagent.files;

import org.jspecify.annotations.NullMarked;
