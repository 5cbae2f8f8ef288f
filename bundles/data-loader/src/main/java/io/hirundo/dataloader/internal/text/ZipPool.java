package io.hirundo.dataloader.internal.text;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipFile;

/** Keeps the archives open that were used last: not all, because there may be more than a process may open. */
final class ZipPool implements Closeable {
  private static final int OPEN_ARCHIVES = 32;

  private final Map<Path, ZipFile> open = new LinkedHashMap<>(16, 0.75f, true);

  /** An archive, valid until others have been asked for. */
  ZipFile get(Path path) throws IOException {
    ZipFile zip = open.get(path);
    if (zip == null) {
      if (open.size() == OPEN_ARCHIVES) {
        var oldest = open.entrySet().iterator();
        oldest.next().getValue().close();
        oldest.remove();
      }
      zip = new ZipFile(path.toFile());
      open.put(path, zip);
    }
    return zip;
  }

  @Override
  public void close() throws IOException {
    for (ZipFile zip : open.values()) {
      zip.close();
    }
    open.clear();
  }
}
