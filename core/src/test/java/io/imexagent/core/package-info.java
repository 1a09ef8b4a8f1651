/** The rules that hold the module together. */
@NullMarked
package io.imexagent.core;

import org.jspecify.annotations.NullMarked;
