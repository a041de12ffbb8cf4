import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNames, lookAlikeKeys } from '../../../adapters/web/profiles.ts';
import { WEB_LIMITS } from '../../../adapters/web/limits.ts';
import { sentence } from '../../fakes/sentences.ts';
import { startWeb, type Visitor } from './start-web.ts';
import { anyCharacter } from '../../fakes/any-character.ts';

describe('a name', () => {
  test.each([
    ['Anna', 'Anna'],
    ['Anna', 'ANNA'],
    ['Anna', 'Аnnа'],
    ['Anna', 'ΑΝΝΑ'],
    ['Anna', 'Ａｎｎａ'],
    ['Anna', '𝔄𝔫𝔫𝔞'],
    ['Anna', 'An\u200bna'],
    ['Anna', '\u202eAnna'],
    ['Anna', ' An  na '],
    ['Anna', 'ᴀɴɴᴀ'],
    ['Anna', 'Ännа'],
    ['Mia', 'MIA'],
    ['Marnie', 'Mamie'],
    ['Straße', 'STRASSE'],
    ['Борис', 'БОРИС'],
    ['Guest 0', 'Guest O'],
  ])('%j has what looks like it, %j, told apart', (first, second) => {
    const names = createNames();
    names.claim('one', first);
    expect(names.claim('two', second)).toMatch(/ 2$/);
  });

  test.each([
    ['Anna', 'Hanna'],
    ['Борис', 'Boris'],
    ['花子', '太郎'],
    ['😀', '😎'],
    ['علي', 'علياء'],
  ])('%j and %j stay as they are', (first, second) => {
    const names = createNames();
    expect([names.claim('one', first), names.claim('two', second)]).toEqual([first, second]);
  });

  test('is counted on, and free again once its owner has another or is gone', () => {
    const names = createNames();
    const claim = (id: string) => names.claim(id, 'Anna');
    expect(['a', 'b', 'c', 'a'].map(claim)).toEqual(['Anna', 'Anna 2', 'Anna 3', 'Anna']);
    names.claim('a', 'Bea');
    expect(claim('d')).toBe('Anna');
    names.release('b');
    expect(claim('e')).toMatch(/^Anna \d$/);
  });

  test.each([
    'Dragoman',
    'DRAGOMAN',
    'Drаgoman',
    'DRАGОМАN',
    'dragoмan',
    'ᴅʀᴀɢᴏᴍᴀɴ',
    'Dragornan',
    'Drag0man',
    'Drágoman',
    'D r a g o m a n',
    'Drag-o-man',
    'Dragoman 2',
    'dragoman2',
    '✓ Dragoman (App)',
    'Dra\u00adgoman',
    '\u202eDragoman',
    'Ｄｒａｇｏｍａｎ',
  ])('%j is refused: it is ours', (name) => {
    expect(() => createNames().claim('one', name)).toThrow(sentence('web.errors.name-reserved'));
  });

  test.each(['Dragomanov', 'Dragonman', 'Roman', 'Dragana'])('%j is nobody else’s', (name) => {
    expect(createNames().claim('one', name)).toBe(name);
  });

  test.each(['', '  ', '\u200b\u2060', '\u202e', '\u00ad'])(
    '%j is refused: it is nothing',
    (name) => {
      expect(() => createNames().claim('one', name)).toThrow(sentence('web.errors.name-empty'));
    },
  );

  test('is one line that keeps the order of what is around it', () => {
    expect(createNames().claim('one', 'A\u202eda\n<Lovelace>\u0000')).toBe('A da <Lovelace>');
  });
});

test('whatever people ask for, no two names look alike, and none is too long', () => {
  const piece = fc.oneof(
    fc.constantFrom('Anna', 'ANNA', 'Аnna', 'Dragoman', 'rn', 'm', 'I', 'l', '1', ' 2', '\u202e'),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.string({ unit: anyCharacter, maxLength: 4 }),
  );
  const name = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('').slice(0, 40));
  const ask = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e'), name });
  fc.assert(
    fc.property(fc.array(ask, { maxLength: 12 }), (asks) => {
      const names = createNames();
      const held = new Map<string, string>();
      for (const { id, name: wanted } of asks)
        try {
          held.set(id, names.claim(id, wanted));
        } catch {
          // It is refused: the former name stays.
        }
      const keys = [...held.values()].flatMap((each) => [...lookAlikeKeys(each)]);
      expect(new Set(keys).size).toBe(keys.length);
      for (const each of held.values()) {
        expect(each.length).toBeLessThanOrEqual(WEB_LIMITS.nameChars);
        expect(each).not.toMatch(/[\u202a-\u202e\n]/);
      }
    }),
    // Normalised, this sign is two.
    { examples: [[[{ id: 'a', name: '\u09DC'.repeat(40) }]]] },
  );
});

const readers = async (visitor: Visitor, count: number): Promise<string[]> => {
  const events = await visitor.events();
  const names = await events.next((event) =>
    event.type === 'hello' && event.snapshot.readers.length === count
      ? event.snapshot.readers.map(({ name }) => name)
      : undefined,
  );
  events.close();
  return names;
};

describe('on the page', () => {
  test('thirty guests have thirty names', async () => {
    const { visit } = await startWeb();
    const guests = Array.from({ length: 30 }, () => visit());
    for (const guest of guests) await guest.events();
    const names = await readers(guests[0]!, 30);
    expect(new Set(names).size).toBe(30);
  });

  test('a second Anna is told apart, and nobody becomes Dragoman', async () => {
    const { visit } = await startWeb();
    const [one, two] = [visit(), visit()];
    await one.events();
    await two.events();
    await one.post('/api/me', { name: 'Anna' });
    await two.post('/api/me', { name: 'аnnа' });
    expect(await readers(one, 2)).toEqual(['Anna', 'аnnа 2']);
    const refused = await two.post('/api/me', { name: 'Drаgoman' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({ error: sentence('web.errors.name-reserved') });
    expect(await readers(one, 2)).toEqual(['Anna', 'аnnа 2']);
  });
});
