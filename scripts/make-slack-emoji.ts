/** Makes adapters/slack/rich-text/emoji.json from emojibase-data: `npm run slack-emoji`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const FILE = join(import.meta.dirname, '../adapters/slack/rich-text/emoji.json');

const read = (path: string): unknown =>
  JSON.parse(readFileSync(require.resolve(`emojibase-data/en/${path}`), 'utf8'));

const drawn = (points: string): string =>
  String.fromCodePoint(...points.split('-').map((point) => Number.parseInt(point, 16)));

/** An emoji as Unicode recommends it: without the selector of its drawing where it needs none. */
const recommended = (emoji: string): string =>
  [emoji, emoji.replaceAll('\uFE0F', '')].find((each) => /^\p{RGI_Emoji}$/v.test(each)) ?? emoji;

/** Slack's names of Unicode emoji, each with its emoji as it is written in full. */
export const slackEmoji = (): Readonly<Record<string, string>> => {
  const written = new Map(
    (read('data.json') as readonly { hexcode: string; emoji: string }[]).map(
      ({ hexcode, emoji }) => [hexcode, emoji] as const,
    ),
  );
  const names = read('shortcodes/iamcal.json') as Readonly<
    Record<string, string | readonly string[]>
  >;
  return Object.fromEntries(
    Object.entries(names).flatMap(([points, found]) =>
      [found].flat().map((name) => [name, recommended(written.get(points) ?? drawn(points))]),
    ),
  );
};

if (import.meta.main) writeFileSync(FILE, `${JSON.stringify(slackEmoji(), undefined, 2)}\n`);
