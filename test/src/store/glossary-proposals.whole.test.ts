import { describe, expect, it } from 'vitest';
import { createGlossaryProposals } from '../../../src/store/glossary-proposals.ts';
import { openStore } from '../../../src/store/index.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';

const SPACES = ['many', 'few'].map((id) => ({ platform: 'test', id }));

describe.each([
  ['SQLite', () => openStore('sqlite::memory:')],
  ['PostgreSQL', async () => openTestStore(await makeDatabase())],
] as const)('accepted entries of a glossary in %s', (_, open) => {
  it('are announced oldest first, and those of one space hold up no others', async () => {
    await using store = await open();
    const rows = [250, 2].flatMap((count, place) =>
      Array.from({ length: count }, (__, at) => ({
        platform: 'test',
        space_id: SPACES[place]!.id,
        id: `${SPACES[place]!.id} ${at}`,
        author_id: '',
        proposed_term: 'term',
        language: null,
        proposed_translation: '',
        // The newest are stored first.
        since_ms: 1_000 - at + place,
        channel_id: 'here',
        parent_id: '',
        accepted: 1,
      })),
    );
    await store.write((db) => db.insertInto('glossary_proposal').values(rows).execute());
    const found = await createGlossaryProposals(store, () => 0).unannounced(0, 2_000);
    expect(found).toHaveLength(200);
    expect(found.slice(0, 5).map(({ id }) => id)).toEqual([
      'many 249',
      'few 1',
      'many 248',
      'few 0',
      'many 247',
    ]);
  });
});
