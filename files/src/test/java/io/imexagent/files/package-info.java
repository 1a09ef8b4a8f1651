/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.files;

import org.jspecify.annotations.NullMarked;
