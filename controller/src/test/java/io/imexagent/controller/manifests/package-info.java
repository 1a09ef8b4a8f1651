@NullMarked
package io.imexagent.controller.manifests;

import org.jspecify.annotations.NullMarked;
