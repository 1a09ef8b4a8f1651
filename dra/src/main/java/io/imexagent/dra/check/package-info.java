/** What there is to say before a driver serves: of its record of claims, and of other plugins of it. */
@NullMarked
package io.imexagent.dra.check;

import org.jspecify.annotations.NullMarked;
