/**
 * What a fabric test across nodes found, as pure values: rows of ranks, the matrix of pairs, who is to blame, the verdict,
 * and all that as text and as a document.
 */
@NullMarked
package io.imexagent.fabric.result;

import org.jspecify.annotations.NullMarked;
