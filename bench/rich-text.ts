import * as fc from 'fast-check';
import { parseDiscord } from '../adapters/discord/rich-text/parse.ts';
import { renderDiscord } from '../adapters/discord/rich-text/render.ts';
import { parseSlackBlocks } from '../adapters/slack/rich-text/parse-blocks.ts';
import { parseMrkdwn } from '../adapters/slack/rich-text/parse-mrkdwn.ts';
import { renderSlackBlocks } from '../adapters/slack/rich-text/render-blocks.ts';
import { renderMrkdwn } from '../adapters/slack/rich-text/render-mrkdwn.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';
import { parseMarkdown } from '../src/rich-text/markdown/parse.ts';
import { renderMarkdown } from '../src/rich-text/markdown/render.ts';
import { anyRichText } from '../test/fakes/any-rich-text.ts';
import {
  DISCORD_LAWS,
  MARKDOWN_LAWS,
  MODEL_LAWS,
  SLACK_LAWS,
} from '../test/fakes/rich-text-laws.ts';
import { fixed, median } from './measure.ts';

/** Trees of every shape against every law of rich text, and how fast chat is read and written. */

const TREES = Number(process.env['RICH_TEXT_TREES'] ?? 100_000);
const BATCH = 1_000;
const ROUNDS = 15;
const CALLS = 1_000;

const GROUPS = {
  model: MODEL_LAWS,
  Discord: DISCORD_LAWS,
  Markdown: MARKDOWN_LAWS,
  Slack: SLACK_LAWS,
} as const;

const arbitrary = anyRichText();
const seed = Number(process.env['RICH_TEXT_SEED'] ?? Date.now() % 1_000_000);
const failures = new Map<string, number>();
let examined = 0;
for (; examined < TREES; examined += BATCH)
  for (const tree of fc.sample(arbitrary, { numRuns: BATCH, seed: seed + examined }))
    for (const [group, laws] of Object.entries(GROUPS))
      for (const [name, law] of Object.entries(laws)) {
        const fault = law(tree);
        if (fault === undefined) continue;
        const known = failures.get(`${group}: ${name}`) ?? 0;
        if (known === 0) console.log(`${group}: ${name}\n${JSON.stringify(tree)}\n${fault}`);
        failures.set(`${group}: ${name}`, known + 1);
      }
const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);

console.log(
  `\n### Rich text: ${examined} trees, seed ${seed}\n\n| | laws | failures |\n|---|---|---|`,
);
for (const [group, laws] of Object.entries(GROUPS)) {
  const ofGroup = [...failures].filter(([name]) => name.startsWith(`${group}:`));
  const count = ofGroup.reduce((sum, [, each]) => sum + each, 0);
  console.log(`| ${group} | ${Object.keys(laws).length} | ${count} |`);
}
if (failed > 0) process.exitCode = 1;

const LINES = [
  'hey <@123456789012345678> did you see https://example.org/a/b?c=d#e yesterday?',
  'ok lol, let us meet at 5 in <#234567890123456789> **please** don’t be late :)',
  '今日は`npm ci`を実行してからビルドしてください 🎉 よろしくお願いします',
  'la reunión empieza a las <t:1700000000:R>, trae tu portátil y no olvides el café',
  'plain words without anything special in them, as most lines of a chat are after all',
];
const NOTIFYING = { mayNotify: () => true };
const trees = LINES.map((line) => parseDiscord(line));
/** As they come from storage: nothing is known of them. */
const stored = JSON.stringify(trees);

interface Side<T> {
  readonly what: string;
  readonly written: readonly T[];
  readonly parse: (written: T) => RichText;
  readonly render: (tree: RichText) => unknown;
}

const speedOf = (bytes: number, run: () => void): string => {
  run();
  const speeds = Array.from({ length: ROUNDS }, () => {
    const begun = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(begun);
    return (bytes * CALLS) / (user + system);
  });
  return `${fixed(median(speeds), 0)} MB/s`;
};

const report = <T>({ what, written, parse, render }: Side<T>): void => {
  const asBytes = (each: T): number =>
    Buffer.byteLength(typeof each === 'string' ? each : JSON.stringify(each));
  const bytes = written.reduce((sum, each) => sum + asBytes(each), 0);
  const reading = speedOf(bytes, () => {
    for (let call = 0; call < CALLS; call += 1) for (const each of written) parse(each);
  });
  const copies = Array.from({ length: CALLS }, () => JSON.parse(stored) as RichText[]);
  const writing = speedOf(bytes, () => {
    for (const each of copies) for (const tree of each) render([...tree]);
  });
  console.log(`| ${what} | ${reading} | ${writing} |`);
};

console.log('\n| chat lines, one by one, by processor time | parse | render |\n|---|---|---|');
report({
  what: 'Discord',
  written: LINES,
  parse: parseDiscord,
  render: (tree) => renderDiscord(tree, NOTIFYING),
});
report({
  what: 'Markdown',
  written: trees.map(renderMarkdown),
  parse: parseMarkdown,
  render: renderMarkdown,
});
report({
  what: 'Slack, `mrkdwn`',
  written: trees.map((tree) => renderMrkdwn(tree, NOTIFYING)),
  parse: parseMrkdwn,
  render: (tree) => renderMrkdwn(tree, NOTIFYING),
});
report({
  what: 'Slack, `rich_text` blocks (bytes of JSON)',
  written: trees.map((tree) => renderSlackBlocks(tree, NOTIFYING)),
  parse: parseSlackBlocks,
  render: (tree) => renderSlackBlocks(tree, NOTIFYING),
});
