import { describe, expect, it } from 'vitest';
import { attachmentOf } from '../fakes/core-harness.ts';
import { useCoreHarness } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const { harness, last, completions } = useCoreHarness();

describe('/glossary', () => {
  it('adds, lists, completes, exports and removes', async () => {
    await harness().run('glossary add', {
      term: 'blue mage',
      translation: '青魔道士',
      language: 'ja',
    });
    await harness().run('glossary add', { term: 'Dragoman' });
    const list = await last('glossary list');
    expect(list.text).toContain('`blue mage` → `青魔道士` · Japanese');
    expect((await completions('glossary remove', 'term', 'MAGE'))[0]?.value).toBe('blue mage');
    const csv = (await last('glossary export')).files?.[0]?.bytes;
    expect(Buffer.from(csv ?? []).toString()).toContain('blue mage,ja,青魔道士');
    expect((await last('glossary remove', { term: 'Blue Mage' })).text).toMatch(
      sentenceLike('glossary.removed'),
    );
    expect((await last('glossary remove', { term: 'Blue Mage' })).tone).toBe('error');
  });

  it('says which entry an added one replaces', async () => {
    const first = await last('glossary add', { term: "O'Brien", translation: 'x' });
    expect(first.text).not.toMatch(sentenceLike('glossary.replaced'));
    const again = await last('glossary add', { term: 'O’Brien', translation: 'y' });
    expect(again.text).toContain(sentence('glossary.replaced', { entry: "`O'Brien` → `x`" }));
    const same = await last('glossary add', { term: 'O’Brien', translation: 'y' });
    expect(same.text).not.toMatch(sentenceLike('glossary.replaced'));
  });

  it('is used by the next translation', async () => {
    await harness().run('glossary add', { term: 'fox', translation: 'KITSUNE' });
    const { text } = await last('translate', { text: 'The quick brown fox', to: 'ja' });
    expect(text).toContain('KITSUNE');
  });

  it('imports a file and tells what it left out', async () => {
    const file = attachmentOf(
      Buffer.from('term,language,translation\nfox,ja,狐\n,ja,x\n'),
      'g.csv',
    );
    const preview = await last('glossary import', { file });
    const counts = { added: 1, changed: 0, rejected: 1 };
    expect(preview.text).toContain(sentence('glossary.preview', { ...counts, unchanged: 0 }));
    expect(preview.text).toContain('`fox` → `狐` · Japanese');
    expect(preview.text).toContain(sentence('glossary.rejected.empty', { line: 3 }));
    expect((await last('glossary list')).text).not.toContain('fox');
    const { text } = await harness().press('glossary.import');
    expect(text).toContain(sentence('glossary.imported', counts));
    expect(text).toContain(sentence('glossary.rejected.empty', { line: 3 }));
    expect((await last('glossary list')).text).toContain('fox');
  });

  it('imports nothing that a moderator cancels, or that is for others', async () => {
    const file = attachmentOf(Buffer.from('fox\n'), 'g.csv');
    await last('glossary import', { file });
    const refused = await harness().press('glossary.import', { role: 'member' });
    expect(refused.text).toContain(sentence('errors.needs-moderator', { platform: 'test' }));
    await last('glossary import', { file });
    expect((await harness().press('glossary.cancel')).text).toBe(sentence('glossary.cancelled'));
    expect((await last('glossary list')).text).toBe(sentence('glossary.empty'));
  });

  it.each(['film.srt', 'notes.txt', 'list'])(
    'writes nothing of %s, which is no table',
    async (name) => {
      const file = attachmentOf(
        Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHello, you\n'),
        name,
      );
      const { text } = await last('glossary import', { file, to: 'ja' });
      expect(text).toBe(sentence('glossary.not-csv'));
      expect((await last('glossary list')).text).not.toContain('Hello');
    },
  );

  it('imports two plain columns into the language that is named, and says so', async () => {
    const file = attachmentOf(Buffer.from('fox,狐\nbear,熊\n'), 'g.csv');
    const refused = await last('glossary import', { file });
    expect(refused).toMatchObject({ tone: 'error' });
    expect(refused.text).toContain(sentence('glossary.which-language'));
    await last('glossary import', { file, to: 'Japanese' });
    expect((await harness().press('glossary.import')).text).toBe(
      `${sentence('glossary.imported', { added: 2, changed: 0, rejected: 0 })}\n` +
        sentence('glossary.read-pairs', { language: 'Japanese' }),
    );
    const header = attachmentOf(Buffer.from('en;ja;es\nfox;狐;zorro\n'), 'g.csv');
    expect((await last('glossary import', { file: header })).text).toContain(
      sentence('glossary.read-header', { languages: 'Japanese, Spanish' }),
    );
    const rest = attachmentOf(Buffer.from('term,language,translation\nowl,,梟\n'), 'g.csv');
    expect((await last('glossary import', { file: rest, to: 'ja' })).text).toContain(
      sentence('glossary.read-rest', { language: 'Japanese' }),
    );
  });

  it('is changed by moderators only', async () => {
    const content = await last('glossary add', { term: 'fox' }, { role: 'member' });
    expect(content.text).toBe(sentence('errors.needs-moderator', { platform: 'test' }));
  });

  it('shows terms without letting them break the markup', async () => {
    await harness().run('glossary add', { term: '`**@everyone' });
    expect((await last('glossary list')).text).toContain('`**@everyone`');
  });
});
