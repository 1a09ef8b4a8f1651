/**
 * Files that are replaced whole or not at all: durable ones, which survive a crash of the host, and passing ones, which
 * need not.
 */
@NullMarked
package io.imexagent.files;

import org.jspecify.annotations.NullMarked;
