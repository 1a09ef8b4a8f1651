/** JSON trees without data binding. */
@NullMarked
package io.imexagent.kubernetes.json;

import org.jspecify.annotations.NullMarked;
