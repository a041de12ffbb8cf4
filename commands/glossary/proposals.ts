import { z } from 'zod';
import {
  defineAction,
  moderator,
  type AnswerContext,
  type Press,
  type PressContext,
  pressOn,
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
import { lines, sections, sentence, series } from '../../src/rich-text/compose.ts';
import type { Code, RichText } from '../../src/rich-text/rich-text.ts';

/** A term or translation as it was proposed, whole. */
const whole = (typed: string): Code => typedCode(typed, TERM_CHARS);

/**
 * Shows one proposal whole, with buttons that decide on it.
 *
 * @param asked how many older ones are passed over; begins anew after the newest
 * @param above what is said above it
 */
const panel = async (ctx: AnswerContext, asked = 0, above?: RichText): Promise<Content> => {
  const { services, channel, locale, t } = ctx;
  const { space } = channel;
  const all = await services.glossary.proposals(space);
  const at = asked % all.length || 0;
  const shown = all[at];
  if (!shown) {
    const none = t('glossary.no-proposals');
    return above ? { text: sections(above, none) } : { text: none, tone: 'note' };
  }
  const { term, language, translation = '' } = shown.term;
  return {
    text: sections(
      above,
      lines(
        t('glossary.proposals', { number: at + 1, count: all.length }),
        series([
          sentence(whole(term), ' → ', whole(translation)),
          language ? services.languages.name(language, locale) : t('glossary.everywhere'),
          sentence(memberMention(space, shown.authorId)),
        ]),
      ),
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

/** Accepts or refuses a proposal, and says so; undefined where that was done before. */
const decided = async (
  { arg, services, channel, t }: PressContext,
  isAccepted: boolean,
): Promise<RichText | undefined> => {
  const proposal = await services.glossary.decide(channel.space, arg, isAccepted);
  if (!proposal) return undefined;
  const { term, translation = '' } = proposal.term;
  const named = { term: whole(term), translation: whole(translation) };
  return t(isAccepted ? 'glossary.accepted' : 'glossary.refused', named);
};

/** A press under a line of the moderators' channel, which says then what became of the proposal. */
const decideThere = (isAccepted: boolean): Press => ({
  guards: [moderator],
  async run(ctx) {
    await ctx.reply({ text: (await decided(ctx, isAccepted)) ?? ctx.t('glossary.decided') });
  },
});

const decide = (isAccepted: boolean): Press => ({
  guards: [moderator],
  panel: async (ctx) => panel(ctx),
  async run(ctx) {
    const above = await decided(ctx, isAccepted);
    if (!above) throw userError('not-found', 'glossary.decided');
    await ctx.reply(await panel(ctx, 0, above));
  },
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
