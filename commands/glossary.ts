import { z } from 'zod';
import {
  attachment,
  channelOption,
  type Complete,
  defineAction,
  defineCommandGroup,
  moderator,
  type AnswerContext,
} from '../src/command/command.ts';
import {
  listOf,
  button,
  completeLanguage,
  typedCode,
  typedLanguage,
} from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import {
  bullets,
  lines,
  sentence,
  series,
  type Maybe,
  type RichPart,
} from '../src/rich-text/compose.ts';
import { channelAround, channelMention, type Channel, type Space } from '../src/model/place.ts';
import type { GlossaryTerm, ImportPreview, ImportReport } from '../src/model/glossary.ts';
import { proposalPresses, proposalsAction, proposeAction } from './glossary/proposals.ts';
import { isGlossaryFile } from '../src/model/glossary-file.ts';
import type { Content } from '../src/model/message.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';

const LISTED = 50;
const REJECTED_SHOWN = 10;
/** The encoding that is not worth a sentence. */
const USUAL_ENCODING = 'UTF-8';

const withChannel = (where: RichPart, channel: Channel | undefined): RichText =>
  series([where, channel && channelMention(channel)]);

const completeTerm: Complete = async (typed, { services, space }) => {
  const wanted = typed.trim().toLowerCase();
  const terms = (await services.glossary.list(space)).map(({ term }) => term);
  return [...new Set(terms)]
    .filter((term) => term.toLowerCase().includes(wanted))
    .map((term) => ({ value: term, label: term }));
};

const add = defineAction({
  options: z.object({
    term: z.string().min(1),
    translation: z.string().min(1).optional(),
    language: z.string().optional(),
    channel: channelOption().optional(),
  }),
  complete: { language: completeLanguage },
  guards: [moderator],
  async run({ options, services, channel, forReaders, reply }) {
    const { term, translation } = options;
    const language = options.language && typedLanguage(options.language, services);
    const replaced = await services.glossary.add(options.channel ?? channel.space, {
      term,
      translation,
      language: language || undefined,
    });
    const { t, locale } = await forReaders();
    const where = withChannel(
      language ? services.languages.name(language, locale) : t('glossary.everywhere'),
      options.channel,
    );
    const isOther = replaced && (replaced.term !== term || replaced.translation !== translation);
    const before = replaced?.translation ? [' → ', typedCode(replaced.translation)] : [];
    await reply({
      text: lines(
        translation
          ? t('glossary.added-translation', {
              term: typedCode(term),
              translation: typedCode(translation),
              where,
            })
          : t('glossary.added', { term: typedCode(term), where }),
        isOther && t('glossary.replaced', { entry: sentence(typedCode(replaced.term), ...before) }),
      ),
    });
  },
});

const remove = defineAction({
  options: z.object({
    term: z.string().min(1),
    language: z.string().optional(),
    channel: channelOption().optional(),
  }),
  complete: { term: completeTerm, language: completeLanguage },
  guards: [moderator],
  async run({ options, services, channel, forReaders, reply }) {
    const language = options.language && typedLanguage(options.language, services);
    /** Removes the term from the first of the places that has it. */
    const removeFrom = async (places: readonly (Space | Channel)[]): Promise<number> => {
      for (const place of places) {
        const count = await services.glossary.remove(place, options.term, language || undefined);
        if (count > 0) return count;
      }
      return 0;
    };
    const removed = await removeFrom(
      options.channel ? [options.channel] : [channel.space, channel],
    );
    const term = typedCode(options.term);
    if (removed === 0) throw userError('not-found', 'glossary.unknown-term', { term });
    const { t } = await forReaders();
    await reply({ text: t('glossary.removed', { term, count: removed }) });
  },
});

const list = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  private: true,
  async run({ options, services, channel, locale, t, reply }) {
    const own = await services.glossary.list(options.channel ?? channel.space);
    // Those of the channel in which one asks count there too.
    const here = options.channel ? [] : await services.glossary.list(channel);
    const terms = [
      ...own.map((term) => ({ ...term, channel: options.channel })),
      ...here.map((term) => ({ ...term, channel: channelAround(channel) })),
    ];
    if (terms.length === 0) return reply({ text: t('glossary.empty'), tone: 'note' });
    const listed = terms.slice(0, LISTED).map(({ term, language, translation, channel: only }) => {
      const name = withChannel(
        language ? services.languages.name(language, locale) : t('glossary.everywhere'),
        only,
      );
      const translated = translation ? [' → ', typedCode(translation)] : [];
      return sentence(typedCode(term), ...translated, ' · ', name);
    });
    await reply({
      text: lines(
        t('glossary.heading', { count: terms.length }),
        bullets(...listed),
        terms.length > LISTED && t('glossary.more', { count: terms.length - LISTED }),
      ),
    });
  },
});

/** The lines of a file that were left out, with what was taken for granted of the others. */
const readingOf = (
  { rejectedCount, rejected, assumed, encoding }: ImportReport,
  { services, locale, t }: AnswerContext,
): readonly Maybe<RichText>[] => {
  const named = (code: string): string => services.languages.name(code, locale);
  const readAs =
    assumed?.kind === 'header'
      ? t('glossary.read-header', { languages: listOf(assumed.languages.map(named), locale) })
      : assumed && t(`glossary.read-${assumed.kind}`, { language: named(assumed.language) });
  const reasons = rejected
    .slice(0, REJECTED_SHOWN)
    .map(({ line, reason }) => t(`glossary.rejected.${reason}`, { line }));
  const more = rejectedCount - reasons.length;
  return [
    readAs,
    encoding !== USUAL_ENCODING && t('glossary.read-encoding', { encoding }),
    bullets(...reasons),
    more > 0 && t('glossary.rejected-more', { count: more }),
  ];
};

/** Shows what an import would write, which waits for a yes. */
const previewOf = (
  preview: ImportPreview,
  where: Channel | undefined,
  ctx: AnswerContext,
): Content => {
  const { id, added, changed, unchanged, rejectedCount, first } = preview;
  const { services, locale, t } = ctx;
  const entry = ({ term, translation, language }: GlossaryTerm): RichText =>
    sentence(
      typedCode(term),
      ...(translation ? [' → ', typedCode(translation)] : []),
      ' · ',
      language ? services.languages.name(language, locale) : t('glossary.everywhere'),
    );
  const shown = first.map(({ term, before }) => {
    const former =
      before?.translation !== undefined &&
      t('glossary.was', { entry: typedCode(before.translation) });
    return series([entry(term), former]);
  });
  const more = added + changed - shown.length;
  const text = lines(
    t('glossary.preview', { added, changed, unchanged, rejected: rejectedCount }),
    where && t('glossary.preview-channel', { channel: channelMention(where) }),
    bullets(...shown, more > 0 && t('glossary.preview-more', { count: more })),
    ...readingOf(preview, ctx),
  );
  if (added + changed === 0) return { text };
  return {
    text,
    tone: 'question',
    controls: [
      button(ctx, `glossary import:${id}`, 'glossary.import', 'primary'),
      button(ctx, `glossary cancel:${id}`, 'glossary.cancel'),
    ],
  };
};

const importFile = defineAction({
  options: z.object({
    file: attachment(),
    to: z.string().optional(),
    channel: channelOption().optional(),
  }),
  complete: { to: completeLanguage },
  guards: [moderator],
  slow: true,
  async run(ctx) {
    const { options, services, channel, member, signal, reply } = ctx;
    if (!isGlossaryFile(options.file.name)) throw userError('bad-input', 'glossary.not-csv');
    const place = options.channel ?? channel.space;
    const to = options.to === undefined ? undefined : typedLanguage(options.to, services);
    const preview = await services.glossary.previewImport(place, options.file, signal, {
      by: member,
      space: channel.space,
      to,
    });
    await reply(previewOf(preview, options.channel, ctx));
  },
});

const exportFile = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  private: true,
  async run({ options, services, channel, t, reply }) {
    const bytes = await services.glossary.exportCsv(options.channel ?? channel.space);
    await reply({
      text: t('glossary.exported'),
      files: [{ name: 'glossary.csv', mediaType: 'text/csv', bytes }],
    });
  },
});

export default defineCommandGroup(
  'glossary',
  {
    add,
    remove,
    list,
    import: importFile,
    export: exportFile,
    propose: proposeAction,
    proposals: proposalsAction,
  },
  {
    topic: 'translation',
    presses: {
      ...proposalPresses,
      import: {
        guards: [moderator],
        async run(ctx) {
          const { arg, services, channel, signal, t, reply } = ctx;
          const done = await services.glossary.finishImport(channel.space, arg, signal);
          if (!done) throw userError('not-found', 'glossary.import-gone');
          const { added, changed, rejectedCount: rejected } = done;
          const counts = t('glossary.imported', { added, changed, rejected });
          await reply({ text: lines(counts, ...readingOf(done, ctx)) });
        },
      },
      cancel: {
        guards: [moderator],
        async run({ arg, services, channel, t, reply }) {
          await services.glossary.dropImport(channel.space, arg);
          await reply({ text: t('glossary.cancelled') });
        },
      },
    },
  },
);
