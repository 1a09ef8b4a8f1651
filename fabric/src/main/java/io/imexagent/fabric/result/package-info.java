/**
 * The result of a fabric test across nodes as pure values: the rows of ranks, the matrix of pairs, the causes of
 * failures, and the verdict, with their text and document.
 */
@NullMarked
package io.imexagent.fabric.result;

import org.jspecify.annotations.NullMarked;
