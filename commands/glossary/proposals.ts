import { z } from 'zod';
import {
  defineAction,
  moderator,
  pressOn,
  type Press,
  type PressContext,
} from '../../src/command/command.ts';
import {
  button,
  completeLanguage,
  TERM_CHARS,
  typedCode,
  typedLanguage,
} from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { memberMention } from '../../src/model/place.ts';
import { lines, sentence, series } from '../../src/rich-text/compose.ts';
import type { Code } from '../../src/rich-text/rich-text.ts';

type Context = Pick<PressContext, 'services' | 'channel' | 'locale' | 't' | 'label'>;

/** A term or translation as it was proposed, whole. */
const whole = (typed: string): Code => typedCode(typed, TERM_CHARS);

/**
 * Shows one proposal whole, with buttons that decide on it.
 *
 * @param asked how many older ones are passed over; begins anew after the newest
 */
const panel = async (ctx: Context, asked = 0): Promise<Content> => {
  const { services, channel, locale, t } = ctx;
  const { space } = channel;
  const all = await services.glossary.proposals(space);
  const at = asked % all.length || 0;
  const shown = all[at];
  if (!shown) return { text: t('glossary.no-proposals'), tone: 'note' };
  const { term, language, translation = '' } = shown.term;
  return {
    text: lines(
      t('glossary.proposals', { number: at + 1, count: all.length }),
      series([
        sentence(whole(term), ' → ', whole(translation)),
        language ? services.languages.name(language, locale) : t('glossary.everywhere'),
        sentence(memberMention(space, shown.authorId)),
      ]),
    ),
    controls: [
      button(ctx, `glossary accept:${shown.id}`, 'glossary.accept', 'primary'),
      button(ctx, `glossary refuse:${shown.id}`, 'glossary.refuse'),
      ...(all.length > 1 ? [button(ctx, `glossary next:${at + 1}`, 'glossary.next-proposal')] : []),
    ],
  };
};

/** `/glossary proposals`: what members proposed, for moderators. */
export const proposalsAction = defineAction({
  guards: [moderator],
  private: true,
  run: async (ctx) => ctx.reply(await panel(ctx)),
});

/** `/glossary propose`: proposes a translation to the moderators. */
export const proposeAction = defineAction({
  options: z.object({
    term: z.string().min(1),
    translation: z.string().min(1),
    language: z.string(),
  }),
  complete: { language: completeLanguage },
  private: true,
  async run({ options, services, channel, member, t, reply }) {
    const { term, translation } = options;
    const language = typedLanguage(options.language, services);
    await services.glossary.propose(channel, member, { term, translation, language });
    await reply({ text: t('glossary.proposed') });
  },
});

const LONGEST_CHARS = 410;
const BETWEEN = /→|->|=>|=|＝/u;

/** The button under a translation by which its reader proposes a better one. */
export const betterButton = (ctx: Pick<PressContext, 'label'>, language: string): Control =>
  button(ctx, `glossary better:${language}`, 'glossary.better');

/** A press under a line of the moderators' channel, which says then what became of the proposal. */
const decideThere = (isAccepted: boolean): Press => ({
  guards: [moderator],
  async run({ arg, services, channel, t, reply }) {
    const decided = await services.glossary.decide(channel.space, arg, isAccepted);
    if (!decided) return reply({ text: t('glossary.decided') });
    const { term, translation = '' } = decided.term;
    const named = { term: whole(term), translation: whole(translation) };
    await reply({ text: t(isAccepted ? 'glossary.accepted' : 'glossary.refused', named) });
  },
});

const decide = (isAccepted: boolean): Press => ({
  guards: [moderator],
  ...pressOn(
    (ctx) => panel(ctx),
    async ({ arg, services, channel }) => {
      const decided = await services.glossary.decide(channel.space, arg, isAccepted);
      if (!decided) throw userError('not-found', 'glossary.decided');
    },
  ),
});

export const proposalPresses: Readonly<Record<string, Press>> = {
  next: { guards: [moderator], ...pressOn((ctx) => panel(ctx, Number(ctx.arg))) },
  accept: decide(true),
  refuse: decide(false),
  take: decideThere(true),
  drop: decideThere(false),
  better: {
    private: true,
    form: {
      title: 'glossary.better',
      label: 'glossary.better-label',
      hint: 'glossary.better-hint',
      maxChars: LONGEST_CHARS,
    },
    async run({ arg, values: [typed = ''], services, channel, member, t, reply }) {
      const at = BETWEEN.exec(typed);
      const term = typed.slice(0, at?.index ?? 0).trim();
      const translation = at ? typed.slice(at.index + at[0].length).trim() : '';
      if (term === '' || translation === '') throw userError('bad-input', 'glossary.better-how');
      const language = typedLanguage(arg, services);
      await services.glossary.propose(channel, member, { term, translation, language });
      await reply({ text: t('glossary.proposed') });
    },
  },
};
