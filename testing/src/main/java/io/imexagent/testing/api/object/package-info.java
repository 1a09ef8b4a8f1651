/** What objects of each type may look like: names, shapes, defaults, validation, selectors and patches, as pure rules. */
@NullMarked
package io.imexagent.testing.api.object;

import org.jspecify.annotations.NullMarked;
