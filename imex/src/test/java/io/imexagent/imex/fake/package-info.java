/** Made-up hosts, inventories and settings, for tests. */
@NullMarked
package io.imexagent.imex.fake;

import org.jspecify.annotations.NullMarked;
