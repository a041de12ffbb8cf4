import type { ByteSource } from '../../../src/model/message.ts';
import type { ImportReport } from '../../../src/model/glossary.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import { openStore } from '../../../src/store/index.ts';
import { findLanguage } from '../../../src/text/language/languages.ts';
import { createGlossary } from '../../../src/translation/glossary.ts';
import { fresh } from '../../fakes/opened.ts';

/** A glossary in a database of its own for each test of a file. */
export const useGlossary = () => {
  const store = fresh(() => openStore('sqlite::memory:'));
  const glossary = fresh(() => createGlossary(store, { find: findLanguage }));
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
