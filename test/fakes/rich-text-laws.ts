import { isDeepStrictEqual } from 'node:util';
import { parseDiscord } from '../../adapters/discord/rich-text/parse.ts';
import { reduceDiscord, renderDiscord } from '../../adapters/discord/rich-text/render.ts';
import { parseSlackBlocks } from '../../adapters/slack/rich-text/parse-blocks.ts';
import { parseMrkdwn } from '../../adapters/slack/rich-text/parse-mrkdwn.ts';
import { reduceMrkdwn, reduceSlack } from '../../adapters/slack/rich-text/reduce.ts';
import { renderSlackBlocks } from '../../adapters/slack/rich-text/render-blocks.ts';
import { renderMrkdwn } from '../../adapters/slack/rich-text/render-mrkdwn.ts';
import { normalise } from '../../src/rich-text/normalise.ts';
import type { Mention, RichText } from '../../src/rich-text/rich-text.ts';
import { map, plainText, visit } from '../../src/rich-text/walk.ts';
import { parseMarkdown } from '../../src/rich-text/markdown/parse.ts';
import { reduceMarkdown, renderMarkdown } from '../../src/rich-text/markdown/render.ts';
import { discordPings, mrkdwnPings, slackBlockPings } from './read-pings.ts';

/** Says what is wrong with how a tree is handled; undefined when nothing is. */
export type Law = (tree: RichText) => string | undefined;

const NOTIFYING = { mayNotify: () => true };
const QUIET = {};

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value, undefined, 1);

const same = (found: RichText, wanted: RichText, by: unknown): string | undefined =>
  isDeepStrictEqual(found, wanted)
    ? undefined
    : `${shown(by)} is read as ${shown(found)} and not as ${shown(wanted)}`;

/** The trees that JSON brings back, which nothing remembers. */
const copy = (tree: RichText): RichText => JSON.parse(JSON.stringify(tree)) as RichText;

const mentionsOf = (tree: RichText): readonly Mention[] => {
  const found: Mention[] = [];
  visit(tree, (node) => {
    if (node.kind === 'mention') found.push(node);
  });
  return found;
};

const pingsOf = (tree: RichText): ReadonlySet<string> =>
  new Set(
    mentionsOf(tree)
      .filter(({ target }) => !['channel', 'command', 'page'].includes(target))
      .map(({ target, id }) => `${target} ${id}`),
  );

const unlike = (found: readonly string[], wanted: ReadonlySet<string>): string | undefined =>
  new Set(found).symmetricDifference(wanted).size === 0
    ? undefined
    : `pings ${shown(found)}, not ${shown([...wanted])}`;

/** The words of a tree, without what platforms may add between them. */
const words = (tree: RichText): string => plainText(tree).replaceAll(/[\s|\u2060]/g, '');

const sameWords = (found: RichText, wanted: RichText): string | undefined =>
  words(found) === words(wanted)
    ? undefined
    : `${shown(words(found))} and not ${shown(words(wanted))}`;

export const MODEL_LAWS: Readonly<Record<string, Law>> = {
  'normalising twice is the same as once': (tree) => {
    const once = normalise(tree);
    return same(normalise(copy(once)), once, 'the canonical tree');
  },
  'JSON carries it whole': (tree) => same(copy(normalise(tree)), normalise(tree), 'JSON'),
  'normalising keeps all words': (tree) => {
    // An address that is none becomes words, so links are left out.
    const linkless = map(tree, (node) => (node.kind === 'link' ? node.children : node));
    return sameWords(normalise(linkless), linkless);
  },
};

export const DISCORD_LAWS: Readonly<Record<string, Law>> = {
  'what is read is what was held': (tree) => {
    const written = renderDiscord(tree, NOTIFYING);
    return same(parseDiscord(written), reduceDiscord(tree, NOTIFYING), written);
  },
  'what is read is what was held, with no mention that notifies': (tree) => {
    const written = renderDiscord(tree);
    return same(parseDiscord(written), reduceDiscord(tree), written);
  },
  'reducing twice is the same as once': (tree) => {
    const once = reduceDiscord(tree, NOTIFYING);
    return same(reduceDiscord(copy(once), NOTIFYING), once, 'the reduced tree');
  },
  'nothing pings by default': (tree) => unlike(discordPings(renderDiscord(tree)), new Set()),
  'only mentions ping': (tree) => {
    const wanted = [...pingsOf(reduceDiscord(tree, NOTIFYING))].map((ping) =>
      ping.startsWith('broadcast') ? 'everyone' : ping,
    );
    return unlike(discordPings(renderDiscord(tree, NOTIFYING)), new Set(wanted));
  },
};

export const MARKDOWN_LAWS: Readonly<Record<string, Law>> = {
  'what is read is what was held': (tree) => {
    const written = renderMarkdown(tree);
    return same(parseMarkdown(written), reduceMarkdown(tree), written);
  },
  'reducing twice is the same as once': (tree) => {
    const once = reduceMarkdown(tree);
    return same(reduceMarkdown(copy(once)), once, 'the reduced tree');
  },
  'Discord, Markdown, Discord loses only what Markdown cannot hold': (tree) => {
    const begun = reduceDiscord(tree);
    const back = parseDiscord(renderDiscord(parseMarkdown(renderMarkdown(begun))));
    const wanted = reduceDiscord(reduceMarkdown(begun));
    return same(back, wanted, 'the way') ?? sameWords(back, reduceDiscord(begun));
  },
};

export const SLACK_LAWS: Readonly<Record<string, Law>> = {
  'blocks: what is read is what was held': (tree) => {
    const block = renderSlackBlocks(tree, NOTIFYING);
    return same(parseSlackBlocks(block), reduceSlack(tree, NOTIFYING), block);
  },
  'blocks: what is read is what was held, with no mention that notifies': (tree) => {
    const block = renderSlackBlocks(tree);
    return same(parseSlackBlocks(block), reduceSlack(tree), block);
  },
  'blocks: reducing twice is the same as once': (tree) => {
    const once = reduceSlack(tree, NOTIFYING);
    return same(reduceSlack(copy(once), NOTIFYING), once, 'the reduced tree');
  },
  'blocks: only mentions ping, and none by default': (tree) =>
    unlike(slackBlockPings(renderSlackBlocks(tree)), new Set()) ??
    unlike(
      slackBlockPings(renderSlackBlocks(tree, NOTIFYING)),
      pingsOf(reduceSlack(tree, NOTIFYING)),
    ),
  'mrkdwn: what is read is what was held': (tree) => {
    const written = renderMrkdwn(tree, NOTIFYING);
    return same(parseMrkdwn(written), reduceMrkdwn(tree, NOTIFYING), written);
  },
  'mrkdwn: what is read is what was held, with no mention that notifies': (tree) => {
    const written = renderMrkdwn(tree);
    return same(parseMrkdwn(written), reduceMrkdwn(tree), written);
  },
  'mrkdwn: reducing twice is the same as once': (tree) => {
    const once = reduceMrkdwn(tree, NOTIFYING);
    return same(reduceMrkdwn(copy(once), NOTIFYING), once, 'the reduced tree');
  },
  'mrkdwn: nothing pings by default': (tree) =>
    unlike(
      // In code there is no mention; it cannot be told apart here.
      mrkdwnPings(renderMrkdwn(withoutCode(reduceMrkdwn(tree)))),
      new Set(),
    ),
  'Discord, Slack, Discord loses only what Slack cannot hold': (tree) => {
    const begun = reduceDiscord(tree, QUIET);
    const back = parseDiscord(renderDiscord(parseSlackBlocks(renderSlackBlocks(begun))));
    const wanted = reduceDiscord(reduceSlack(begun));
    return same(back, wanted, 'the way') ?? sameWords(back, begun);
  },
};

const withoutCode = (tree: RichText): RichText =>
  JSON.parse(
    JSON.stringify(tree, (_, value: { kind?: string; text?: string }) =>
      value?.kind === 'code' || value?.kind === 'code-block' ? { ...value, text: 'x' } : value,
    ),
  ) as RichText;
