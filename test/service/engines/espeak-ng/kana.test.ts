import { beforeAll, describe, expect, it } from 'vitest';
import { hasKanji, loadKanaReader } from '../../../../service/engines/espeak-ng/kana.ts';
import { describeVoices } from '../../../../service/engines/espeak-ng/voices.ts';

describe('the reader of kanji', () => {
  let inKana: (text: string) => string;
  beforeAll(() => {
    inKana = loadKanaReader();
  });

  it.each([
    ['今日は、東京へ行きます。', 'キョーワ、トーキョーエイキマス。'],
    ['私は学生です', 'ワタシワガクセイデス'],
    ['2026年11月23日', '2026ネン11ガツ23ニチ'],
    ['一人で行く', 'ヒトリデイク'],
    ['世界 &amp; hello &lt;b&gt;', 'セカイ &amp; hello &lt;b&gt;'],
    ['ひらがな だけ', 'ひらがな だけ'],
    ['', ''],
  ])('reads %j as %j', (written, kana) => {
    expect(inKana(written)).toBe(kana);
  });

  it('leaves no kanji, known or not', () => {
    for (const text of ['𠮷野家で食べた', '龘龘龘', '々〆', '東京都知事選挙'])
      expect(hasKanji(inKana(text))).toBe(false);
  });
});

describe('the Japanese voice', () => {
  const japanese = [
    { identifier: 'jpx/ja', name: 'Japanese', languages: [{ name: 'ja', priority: 5 }] },
  ];
  const description = (readsKanji: boolean): string | undefined =>
    [...describeVoices(japanese, readsKanji).values()][0]?.voice.description;

  it('says that it reads kana only where the reader of kanji is absent', () => {
    expect(description(true)).toBe('Japanese, male, eSpeak NG');
    expect(description(false)).toContain('reads kana only');
  });
});
