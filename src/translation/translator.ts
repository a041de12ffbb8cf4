import type { Space, Channel } from '../model/place.ts';
import type { CallOptions } from '../api/caller.ts';
import type { ServiceClient } from '../api/client.ts';
import type { ServiceKey } from '../api/keys.ts';
import { askerAt, type Lane } from '../model/service.ts';
import { NOT_TRANSLATED, type TranslationInput } from '../api/translation.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { ServiceError } from '../api/service-error.ts';
import { plainText } from '../rich-text/walk.ts';
import { protect, protectFlat, type Protected, type Restored } from '../text/protect/protect.ts';
import { spansOf } from '../text/protect/terms.ts';
import { withoutControlTokens } from '../text/control-tokens.ts';
import { hasGrown } from '../text/reply/growth.ts';
import { isEmojiMessage, languageText } from '../text/message-checks.ts';
import { NO_LANGUAGE } from '../text/language/features.ts';
import type { Detection } from '../text/language/detect.ts';
import { sameLanguage, type ChatLine, type Languages } from '../text/language/languages.ts';
import { formsIn, termsFor } from './glossary-lists.ts';
import { firstSource, isUncertain, nextSource } from './source-languages.ts';
import { toFlatText, toPieces } from '../rich-text/pieces/pieces.ts';
import {
  judgeBeginning,
  judgeTranslation,
  type TranslationTask,
} from '../text/reply/translation-reply.ts';
import { mapStates } from '../async/abort.ts';
import { normalise } from '../rich-text/normalise.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Formality } from '../model/rules.ts';
import type { Glossary, GlossaryTerm } from '../model/glossary.ts';

export interface TranslationRequest {
  readonly text: RichText;
  readonly to: string;
  /** Source language; detected when omitted. */
  readonly from?: string;
  /** The place that asks, whose glossary applies. */
  readonly place: Space | Channel;
  readonly lane: Lane;
  /** The line of chat that the text is: the lines before it help to detect its language. */
  readonly line?: ChatLine;
  /** Other languages of the reader and of the place, in which a text of an uncertain language may be. */
  readonly expected?: readonly string[];
  /** Languages whose texts stay as they are, whatever the target. */
  readonly exempt?: readonly string[];
  /** Earlier messages in plain words, oldest first; those beyond the contract's limit are omitted. */
  readonly context?: readonly string[];
  /**
   * True when intermediate states are not shown: the translation is then requested in one reply,
   * which costs less.
   */
  readonly whole?: boolean;
  /** The key to send; see `CallOptions`. */
  readonly key?: ServiceKey;
  /** The engine that the reader wants; another one translates where it cannot. Default: the deployment’s model. */
  readonly model?: string;
  /** The form of address, for engines that can choose one. Default: as the engine does. */
  readonly formality?: Formality;
}

export interface Translation {
  readonly text: RichText;
  readonly from: string;
  readonly to: string;
  /** Result: `text` is the original for all but the first; `unchanged` is what the engine replied. */
  readonly outcome: 'translated' | 'unchanged' | 'same-language' | 'nothing-to-translate';
  /** Names of the models that translated, joined by `+`, where the service says them. */
  readonly model?: string;
}

/** The whole translation so far. Each call restores its tokens: call it for what is shown. */
export type GrowingText = () => RichText;

export type Translator = ReturnType<typeof createTranslator>;

export interface TranslatorDeps {
  readonly client: Pick<ServiceClient, 'translate' | 'translateStream'>;
  readonly glossary: Pick<Glossary, 'inText'>;
  readonly languages: Pick<Languages, 'rank'>;
  /** Contract section 4.4 `model`; the service's default when omitted. */
  readonly model?: string;
}

/** UTF-16 units of a text that tell its language. */
const SAMPLE_LENGTH = 1_000;

/** Error codes of requests that the service refused, or failed at. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'bad-input',
  'too-large',
  'unavailable',
  'bad-reply',
]);

/** True where another request may do better without the context, which may be what was refused. */
const mayComeOfContext = (error: unknown): boolean =>
  error instanceof ServiceError && REFUSALS.has(error.code);

/** True for a reply that was judged here: the built-in service has asked every engine before it says so. */
const isBadReply = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'bad-reply' && !(error instanceof ServiceError);

const number = /\p{N}/u;

/** True when a translation has words, or a number, which may stand for one. */
const saysSomething = (tree: RichText): boolean =>
  protect(tree).hasWords ||
  toPieces(tree).pieces.some((piece) => piece.kind === 'text' && number.test(piece.text));

/** A text as words alone, by which an unchanged reply is known. */
const folded = (tree: RichText): string =>
  plainText(tree).toLowerCase().replaceAll(/\s+/gu, ' ').trim();

const badReply = (fault: string): AppError =>
  new AppError('bad-reply', `the translation is not usable: ${fault}`, NOT_TRANSLATED);

const judged = (task: TranslationTask, reply: string): string => {
  const { text, fault } = judgeTranslation(task, reply);
  if (fault !== undefined) throw badReply(fault);
  return text;
};

/** Confidence from which a text that somebody asks to have translated is in no language. */
const SURELY_NONE = 0.8;

/** True for laughter, names, numbers; a line of chat that nobody asks about need only be likely so. */
const isInNoLanguage = ([best]: readonly Detection[], isLine: boolean): boolean =>
  best?.language === NO_LANGUAGE && (isLine || best.confidence >= SURELY_NONE);

/** The language of a text, given or detected. */
interface Source {
  readonly from: string;
  /** True where another is tried if no engine translates it. */
  readonly isTrial: boolean;
}

const unchanged = (
  { text, to }: TranslationRequest,
  from: string,
  outcome: Translation['outcome'],
): Translation => ({ text, from, to, outcome });

export const createTranslator = ({ client, glossary, languages, model }: TranslatorDeps) => {
  const requested = async function* (
    protectedText: Protected,
    fields: Omit<TranslationInput, 'text' | 'tokens'>,
    whole: boolean,
    options: CallOptions,
  ): AsyncGenerator<GrowingText, string, void> {
    const input = {
      ...fields,
      text: protectedText.text.toWellFormed(),
      tokens: () => protectedText.meanings(fields.sourceLang),
    };
    const task = { source: input.text, from: input.sourceLang, to: input.targetLang };
    if (whole) return judged(task, await client.translate(input, options));
    let judgedChars = 0;
    const reply = yield* mapStates(client.translateStream(input, options), (soFar) => {
      if (!hasGrown(judgedChars, soFar.length)) return undefined;
      judgedChars = soFar.length;
      const begun = judgeBeginning(task, soFar);
      if (begun?.fault !== undefined) throw badReply(begun.fault);
      return begun && (() => protectedText.preview(begun.text));
    });
    return judged(task, reply);
  };

  /** Translates a text from a language; `tree` is its canonical form. */
  const translateFrom = async function* (
    { from, isTrial }: Source,
    tree: RichText,
    request: TranslationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<GrowingText, Translation, void> {
    const { to, place, lane, context, key, formality, whole = false } = request;
    const options = { ...askerAt(lane, place), signal, isTrial, ...(key ? { key } : {}) };
    const flat = toFlatText(tree);
    const { terms, occurrences } = await glossary.inText(place, flat.text, from);
    const { forced, unchanging } = termsFor(terms, to);
    const protectedWith = (entries: readonly GlossaryTerm[]): Protected =>
      protectFlat(flat, spansOf(occurrences.filter(({ term }) => entries.includes(term))));
    const used = new Set<string>();
    const wanted = request.model ?? model;
    const input = {
      sourceLang: from,
      targetLang: to,
      ...(wanted ? { model: wanted } : {}),
      ...(formality ? { formality } : {}),
      onModel: (name: string) => void used.add(name),
    };

    const first = protectedWith(forced);
    if (!first.hasWords) return unchanged(request, from, 'nothing-to-translate');

    /** Requests a text's translation, once more without the context where that may help. */
    const ask = async function* (
      protectedText: Protected,
      keywords?: readonly string[],
    ): AsyncGenerator<GrowingText, { readonly reply: string; readonly restored: Restored }, void> {
      const once = async function* (before: typeof context) {
        const fields = {
          ...input,
          ...(keywords ? { keywords } : {}),
          ...(before && before.length > 0
            ? { context: withoutControlTokens(before.join('\n')) }
            : {}),
        };
        used.clear();
        const reply = yield* requested(protectedText, fields, whole, options);
        const restored = protectedText.restore(reply);
        if (!saysSomething(restored.tree)) throw badReply('no words');
        return { reply, restored };
      };
      try {
        return yield* once(context);
      } catch (thrown) {
        const isWorthwhile = isBadReply(thrown) || (context?.length && mayComeOfContext(thrown));
        if (!isWorthwhile) throw thrown;
      }
      return yield* once(undefined);
    };
    const finished = (text: RichText): Translation =>
      folded(text) === folded(tree)
        ? unchanged(request, from, 'unchanged')
        : {
            text,
            from,
            to,
            outcome: 'translated',
            ...(used.size > 0 ? { model: [...used].join('+') } : {}),
          };

    const written = formsIn(first.text, unchanging);
    const keywords = written
      .values()
      .flatMap((forms) => forms)
      .toArray();
    const { reply, restored } = yield* ask(first, keywords);
    const replied = formsIn(reply, unchanging);
    const hasAll = written.keys().every((entry) => replied.has(entry));
    if (restored.ok && hasAll) return finished(restored.tree);

    // Retried once with every term protected by tokens; terms that are still missing are appended
    // to the text.
    const second = protectedWith([...forced, ...unchanging]);
    return finished((yield* ask(second)).restored.tree);
  };

  return {
    /** Yields the whole translation so far as it grows; returns the finished one. */
    async *translate(
      request: TranslationRequest,
      signal: AbortSignal,
    ): AsyncGenerator<GrowingText, Translation, void> {
      const { to, line, expected = [], exempt = [] } = request;
      const tree = normalise(request.text);
      const ranked = request.from ? [] : languages.rank(languageText(tree, SAMPLE_LENGTH), line);
      const text = { ranked, to, expected };
      let from = request.from ?? firstSource(text);
      if (isEmojiMessage(tree) || isInNoLanguage(ranked, line !== undefined))
        return unchanged(request, from, 'nothing-to-translate');
      const isTrial = request.from === undefined && isUncertain(text);
      const refused: string[] = [];
      for (;;) {
        if ([to, ...exempt].some((each) => sameLanguage(from, each)))
          return unchanged(request, from, 'same-language');
        try {
          return yield* translateFrom({ from, isTrial }, tree, request, signal);
        } catch (thrown) {
          refused.push(from);
          const next = isTrial ? nextSource(text, refused, thrown) : undefined;
          if (next === undefined) throw thrown;
          from = next;
        }
      }
    },
  };
};
