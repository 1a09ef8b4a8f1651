/** Tools of the package build: jars as they ship, native parts, the bill of materials. */
@NullMarked
package io.imexagent.e2e.packaging;

import org.jspecify.annotations.NullMarked;
