import { z } from 'zod';
import { channelOption, defineAction, moderator, richText } from '../../src/command/command.ts';
import {
  button,
  rulesOf,
  listOf,
  translationEngines,
  typedCode,
  typedLanguage,
  typedLanguages,
} from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Control } from '../../src/model/message.ts';
import { channelMention, memberMention, type Channel } from '../../src/model/place.ts';
import {
  FORMALITIES,
  MESSAGE_TYPES,
  RULE_VALUE_CHARS,
  RULE_VALUES,
  RULED,
  saysNothing,
  type Formality,
  type Rule,
  type Ruled,
  type WatchRules,
} from '../../src/model/rules.ts';
import { bullets, lines, sentence, type Maybe } from '../../src/rich-text/compose.ts';
import { code, type RichText } from '../../src/rich-text/rich-text.ts';
import { plainText, visit } from '../../src/rich-text/walk.ts';
import { ruleLines } from '../../src/command/setting-lines.ts';
import { change, demandChange } from './change.ts';
import { chosenChannel, type Context } from './context.ts';

const LONGEST_VALUES_CHARS = 2_000;
/** The longest text that a channel can be without, in code points. */
const LONGEST_SHORTEST = 1_000;
const OTHERS = ['shortest', 'languages', 'engine', 'formality', 'reading'] as const;

type About = Ruled | (typeof OTHERS)[number];

const isRuled = (about: About): about is Ruled => RULED.some((one) => one === about);

const options = z.object({
  about: z
    .enum([...RULED, ...OTHERS])
    .optional()
    .meta({ parts: { roles: 'roles' } }),
  rule: z.enum(['skip', 'only', 'none']).default('skip'),
  values: richText({ max: LONGEST_VALUES_CHARS }).optional(),
  channel: channelOption().optional(),
  everywhere: z.boolean().default(false),
});

type Options = z.infer<typeof options>;

const badValues = () => userError('bad-input', 'rules.how');

/** The values that are typed between commas, each once. */
export const valuesIn = (typed: string): readonly string[] => {
  const words = typed
    .split(/[,，、;；\n]/u)
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return [...new Set(words)];
};

const typedWords = (typed: RichText): readonly string[] => valuesIn(plainText(typed));

/** The values of a rule. Throws `bad-input` where there are none, too many, or one that is too long. */
export const boundedValues = (values: readonly string[]): readonly string[] => {
  if (values.length === 0) throw badValues();
  if (values.length > RULE_VALUES || values.some(({ length }) => length > RULE_VALUE_CHARS))
    throw userError('bad-input', 'rules.too-much', { most: RULE_VALUES, chars: RULE_VALUE_CHARS });
  return values;
};

/** People who are looked up at the same time. */
const LOOKED_UP = 5;
/** People of a typed name who are offered. */
const MOST_OFFERED = 5;
/** Stands for a mention among words: people write no such character. */
const MENTION = '\uE000';

/** Rejects with `bad-input` for a name that was typed in place of an id, and offers whom it may stand for. */
const demandPerson = async (
  typed: string,
  { services, channel: { space }, locale }: Context,
): Promise<void> => {
  const found = await services.people(space, typed).catch(() => []);
  if (found.some(({ id }) => id === typed)) return;
  const name = typedCode(typed);
  if (found.length === 0) throw userError('bad-input', 'rules.people-how', { name });
  const people = found
    .slice(0, MOST_OFFERED)
    .map(({ id }) => sentence(memberMention(space, id), ' (', code(id), ')'));
  throw userError('bad-input', 'rules.people-found', { name, people: listOf(people, locale) });
};

/** The ids of the people or roles that are mentioned. */
const mentioned = (typed: RichText, ruled: 'people' | 'roles', platform: string): string[] => {
  const ids = new Set<string>();
  visit(typed, (node) => {
    const isMeant = node.kind === 'mention' && node.platform === platform;
    if (isMeant && node.target === (ruled === 'people' ? 'member' : 'role')) ids.add(node.id);
  });
  return [...ids];
};

/**
 * The ids of the people who were mentioned, or whose ids stand between commas. Rejects with `bad-input` for names, and as
 * `boundedValues` does before anybody is looked up.
 */
const typedPeople = async (typed: RichText, ctx: Context): Promise<readonly string[]> => {
  let written = '';
  visit(typed, (node) => {
    if (node.kind === 'text' || node.kind === 'code') written += node.text;
    if (node.kind === 'mention') written += MENTION;
  });
  // Words such as “and” stand between mentions.
  const others = valuesIn(written).filter((value) => !value.includes(MENTION));
  const all = boundedValues([...mentioned(typed, 'people', ctx.channel.space.platform), ...others]);
  for (let from = 0; from < others.length; from += LOOKED_UP) {
    const some = others.slice(from, from + LOOKED_UP);
    await Promise.all(some.map((value) => demandPerson(value, ctx)));
  }
  return all;
};

const typedTypes = (typed: RichText, { t }: Context): readonly string[] =>
  typedWords(typed).map((word) => {
    const written = word.toLowerCase();
    const type = MESSAGE_TYPES.find(
      (one) => one === written || plainText(t(`rules.type.${one}`)).toLowerCase() === written,
    );
    if (type === undefined)
      throw userError('bad-input', 'options.not-a-choice', {
        option: typedCode('values'),
        choices: { list: MESSAGE_TYPES.map((one) => plainText(t(`rules.type.${one}`))) },
      });
    return type;
  });

const valuesOf = async (
  ruled: Ruled,
  typed: RichText,
  ctx: Context,
): Promise<readonly string[]> => {
  const read = {
    people: () => typedPeople(typed, ctx),
    roles: () => mentioned(typed, 'roles', ctx.channel.space.platform),
    words: () => typedWords(typed),
    beginnings: () => typedWords(typed),
    types: () => typedTypes(typed, ctx),
  };
  return boundedValues(await read[ruled]());
};

const typedEngine = async (typed: RichText, ctx: Context): Promise<string> => {
  const { services, channel, signal } = ctx;
  const engines = await translationEngines({ services, space: channel.space }, signal);
  const engine = engines.find((name) => name === plainText(typed).trim().toLowerCase());
  if (engine === undefined)
    throw userError('bad-input', 'translate.unknown-engine', {
      engine: typedCode(plainText(typed)),
      engines: { list: engines.length > 0 ? engines : ['–'] },
    });
  return engine;
};

const typedFormality = (typed: RichText, { t }: Context): Formality => {
  const written = plainText(typed).trim().toLowerCase();
  const nameOf = (one: Formality): string => plainText(t(`rules.formality.${one}`));
  const formality = FORMALITIES.find((one) => [one, nameOf(one).toLowerCase()].includes(written));
  if (formality === undefined)
    throw userError('bad-input', 'options.not-a-choice', {
      option: typedCode('values'),
      choices: { list: FORMALITIES.map(nameOf) },
    });
  return formality;
};

const typedLength = (typed: RichText): number => {
  const written = plainText(typed).trim();
  const length = /^\d{1,4}$/.test(written) ? Number(written) : undefined;
  if (length === undefined || length > LONGEST_SHORTEST) throw badValues();
  return length;
};

/** A rule that says nothing, which a channel needs where its space has one. */
const NOTHING = { shortest: 0, languages: [], engine: '', formality: '', reading: '' } as const;

/** Reads the rule that was typed. Rejects with `bad-input` for values that it cannot have. */
const typedRule = async (
  about: About,
  ctx: Context & { readonly options: Options },
): Promise<WatchRules> => {
  const { rule, values } = ctx.options;
  if (rule === 'none') return { [about]: isRuled(about) ? { of: [] } : NOTHING[about] };
  if (values === undefined) throw badValues();
  if (isRuled(about)) {
    const only = rule === 'only' ? ({ only: true } as const) : {};
    return { [about]: { ...only, of: await valuesOf(about, values, ctx) } satisfies Rule };
  }
  if (about === 'languages') return { languages: typedLanguages(plainText(values), ctx.services) };
  if (about === 'engine') return { engine: await typedEngine(values, ctx) };
  if (about === 'formality') return { formality: typedFormality(values, ctx) };
  if (about === 'reading')
    return { reading: typedLanguage(plainText(values).trim(), ctx.services) };
  return { shortest: typedLength(values) };
};

/** Shows rules with their heading; undefined without any. */
const section = (heading: RichText, rules: WatchRules, ctx: Context): Maybe<RichText> => {
  const told = ruleLines(rules, ctx).filter(Boolean);
  return told.length > 0 && lines(heading, bullets(...told));
};

/** Shows the rules of a channel, and those of the space that hold there, too. */
export const shownRules = async (channel: Channel, ctx: Context): Promise<RichText> => {
  const { services, t } = ctx;
  const { rules: ofSpace } = await services.spaces.of(channel.space);
  const own = services.watches.of(channel)?.choices?.rules ?? {};
  const { people } = rulesOf({ choices: { rules: own } }, { rules: ofSpace });
  const isOpen = ([about]: readonly [string, unknown]): boolean =>
    !(about in own) || (about === 'people' && people !== own.people);
  const left = Object.fromEntries(Object.entries(ofSpace).filter(isOpen));
  const parts = [
    section(t('rules.of-channel', { channel: channelMention(channel) }), own, ctx),
    section(t('rules.of-space'), left, ctx),
  ].filter(Boolean);
  return lines(...(parts.length > 0 ? parts : [t('rules.none')]));
};

/** Says the rules of a channel, and how others are typed. */
const shown = async (channel: Channel, ctx: Context): Promise<RichText> =>
  lines(await shownRules(channel, ctx), ctx.t('rules.how'));

/** True where a rule is gone, or says nothing any more. */
const endsRules = (now: WatchRules, next: WatchRules): boolean =>
  (Object.keys(now) as (keyof WatchRules)[]).some(
    (about) => !(about in next) || (!saysNothing(now[about]) && saysNothing(next[about])),
  );

/** The button that sets rules back. */
const undoOf = (undo: string | undefined, place: string, ctx: Context): readonly Control[] => {
  const press = `autotranslate restore:${undo}/${place}`;
  return undo === undefined ? [] : [button(ctx, press, 'autotranslate.wizard-undo')];
};

/** Changes the rules of a channel; resolves with the id by which rules that ended are set back; undefined where none ended. */
export const changeRules = async (
  channel: Channel,
  how: (now: WatchRules) => WatchRules,
  ctx: Context,
): Promise<string | undefined> => {
  await demandChange([channel], ctx);
  const work = () =>
    change(
      channel,
      ({ choices, ...watch }) => ({
        ...watch,
        choices: { ...choices, rules: how(choices?.rules ?? {}) },
      }),
      undefined,
      ctx,
    );
  const watch = ctx.services.watches.of(channel);
  const now = watch?.choices?.rules ?? {};
  if (!watch || !endsRules(now, how(now))) return void (await work());
  const [, undo] = await ctx.services.endedWatches.ending(channel.space, [watch], true, work);
  return undo;
};

/** `/autotranslate rules`: sets and shows which messages of a channel, or of all, are left out. */
export const rulesAction = defineAction({
  options,
  guards: [moderator],
  private: true,
  slow: true,
  async run(ctx) {
    const { services, capabilities, t, reply } = ctx;
    const { about, everywhere } = ctx.options;
    const channel = chosenChannel(ctx);
    const { space } = channel;
    if (about === undefined) return reply({ text: await shown(channel, ctx) });
    if (about === 'roles' && !capabilities.roles) throw userError('unsupported', 'rules.no-roles');
    const rule = await typedRule(about, ctx);
    if (everywhere) {
      const { rules: before } = await services.spaces.of(space);
      const work = () =>
        services.spaces.change(space, ({ rules }) => ({ rules: { ...rules, ...rule } }));
      const [, ended] = endsRules(before, { ...before, ...rule })
        ? await services.endedWatches.ending(space, [], true, work)
        : [await work()];
      const now = (await services.spaces.of(space)).rules;
      return reply({
        text: section(t('rules.of-space'), now, ctx) || t('rules.none'),
        controls: undoOf(ended, 'panel', ctx),
      });
    }
    const undo = await changeRules(channel, (now) => ({ ...now, ...rule }), ctx);
    await reply({ text: await shownRules(channel, ctx), controls: undoOf(undo, 'rules', ctx) });
  },
});
