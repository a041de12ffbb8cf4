/**
 * Makes src/text/speech/emoji/*.json from emojibase-data, one file per language:
 * `npm run emoji-names`.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const SOURCE = dirname(require.resolve('emojibase-data/package.json'));
const FOLDER = join(import.meta.dirname, '../src/text/speech/emoji');

/** The languages of emojibase-data. */
export const languages: readonly string[] = readdirSync(SOURCE).filter((name) =>
  existsSync(join(SOURCE, name, 'data.json')),
);

// Regions are named by `Intl`, and keycaps are read as what is on them.
const isNamedElsewhere = (emoji: string): boolean => /^\p{RI}{1,2}$|\u20E3/u.test(emoji);
const plain = (emoji: string): string => emoji.replaceAll(/\uFE0F|\p{EMod}/gu, '');

interface SourceEmoji {
  readonly emoji: string;
  readonly label: string;
  readonly skins?: readonly { readonly emoji: string }[];
}

/** Names by emoji, without variation selectors and skin tones. */
export const emojiNames = (language: string): Readonly<Record<string, string>> => {
  const names: Record<string, string> = {};
  const emoji = JSON.parse(
    readFileSync(join(SOURCE, language, 'data.json'), 'utf8'),
  ) as readonly SourceEmoji[];
  for (const { emoji: sign, label, skins = [] } of emoji) {
    if (isNamedElsewhere(sign) || plain(sign) === '') continue;
    const isPrefixed = sign === '🔟' || /[\u{E0020}-\u{E007F}]/u.test(sign);
    const name = isPrefixed ? label.replace(/^[^:：]*[:：]\s*/, '') : label;
    names[plain(sign)] = name;
    // Couples with skin tones have a sequence of their own.
    for (const skin of skins) names[plain(skin.emoji)] ??= name;
  }
  return names;
};

if (import.meta.main) {
  mkdirSync(FOLDER, { recursive: true });
  for (const language of languages)
    writeFileSync(
      join(FOLDER, `${language}.json`),
      `${JSON.stringify(emojiNames(language), undefined, 2)}\n`,
    );
}
