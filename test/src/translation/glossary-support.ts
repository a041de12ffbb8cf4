import { afterEach, beforeEach } from 'vitest';
import type { ByteSource } from '../../../src/model/message.ts';
import type { Glossary } from '../../../src/model/glossary.ts';
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
  return { glossary: () => glossary, store: () => store };
};

/** A file of this content, whose size nobody knows. */
export const fileOf = (content: string | Uint8Array): ByteSource => ({
  sizeBytes: undefined,
  async *open() {
    yield typeof content === 'string' ? Buffer.from(content) : content;
  },
});
