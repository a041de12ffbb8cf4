import { afterEach, beforeEach } from 'vitest';
import type { ByteSource } from '../../../src/model/message.ts';
import type { Glossary, ImportReport } from '../../../src/model/glossary.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { findLanguage } from '../../../src/text/language/languages.ts';
import { createGlossary } from '../../../src/translation/glossary.ts';

/** A glossary in a database of its own for each test of a file. */
export const useGlossary = () => {
  let store: Store;
  let glossary: Glossary;
  beforeEach(async () => {
    store = await openStore('sqlite::memory:');
    glossary = createGlossary(store, { find: findLanguage });
  });
  afterEach(async () => store.destroy());
  return {
    glossary: () => glossary,
    store: () => store,
    /** Imports a file as a moderator does who says yes to the preview. */
    importFile: async (
      place: Space | Channel,
      file: ByteSource,
      signal: AbortSignal,
      to?: string,
    ): Promise<ImportReport> => {
      const space = 'space' in place ? place.space : place;
      const by = { platform: space.platform, id: 'ada' };
      const { id } = await glossary.previewImport(place, file, signal, { by, space, to });
      return (await glossary.finishImport(space, id, signal)) as ImportReport;
    },
  };
};

/** A file of this content, whose size nobody knows. */
export const fileOf = (content: string | Uint8Array): ByteSource => ({
  sizeBytes: undefined,
  async *open() {
    yield typeof content === 'string' ? Buffer.from(content) : content;
  },
});
