/** Doubles for the tests of drivers. */
@NullMarked
package io.imexagent.dra.fake;

import org.jspecify.annotations.NullMarked;
