/** ClaimSpecimens and nodes as tests of planning need them. */
@NullMarked
package io.imexagent.imex.specimen;

import org.jspecify.annotations.NullMarked;
