/** How things are printed for people: tables. */
@NullMarked
package io.imexagent.core.text;

import org.jspecify.annotations.NullMarked;
