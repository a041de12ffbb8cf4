import type { Texts, TranslateRich } from '../../i18n/texts.ts';
import {
  channelKey,
  channelMention,
  isSameChannel,
  keyOf,
  type Channel,
  type Space,
} from '../../model/place.ts';
import { hasRules, isUnagreed, type Changer, type ChannelWatch } from '../../model/space.ts';
import { lines } from '../../rich-text/compose.ts';
import { plainText } from '../../rich-text/walk.ts';
import type { Languages } from '../../text/language/languages.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import { nameElsewhere, personElsewhere, spaceElsewhere } from './names.ts';
import { agreeControls } from './agree-controls.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import { formerOffer, replacedText } from '../replaced.ts';
import { requestControls } from '../request-controls.ts';
import { noticeLanguage, readersLanguages } from '../rules.ts';
import { currentActor } from '../../store/actor.ts';
import type { FormerSetups } from '../../store/channels/former-setups.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { logFailure, type Log } from '../../telemetry/log.ts';
import type { Tell } from '../tell.ts';
import type { createSetupLines, SetupLine } from './setup-lines.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface LinkNoticesDeps {
  readonly watches: Pick<WatchStore, 'group' | 'isOwn' | 'of'>;
  readonly formers: Pick<FormerSetups, 'of'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly texts: Pick<Texts, 'rich' | 'in' | 'pick'>;
  readonly languages: Pick<Languages, 'name'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly tell: Tell;
  readonly setupLines: Pick<ReturnType<typeof createSetupLines>, 'tell'>;
  readonly moderators: Pick<ModeratorNotices, 'linked' | 'told' | 'pauseTold'>;
  readonly log: Pick<Log, 'warn'>;
}

/** The sentences that tell channels of their links with others. */
export type LinkNotice =
  | 'autotranslate.linked-here'
  | 'autotranslate.joined-here'
  | `autotranslate.unagreed-${'here' | 'elsewhere'}`
  | 'autotranslate.unlinked-here'
  | `autotranslate.${'removed' | 'held' | 'unheld' | 'still-held'}-${'here' | 'elsewhere'}`
  | `autotranslate.link-${'gone' | 'changed' | 'refused-here'}`;

const ENDING: ReadonlySet<LinkNotice> = new Set([
  'autotranslate.unlinked-here',
  'autotranslate.removed-here',
  'autotranslate.removed-elsewhere',
]);

const TOLD: Readonly<Partial<Record<LinkNotice, 'linked' | 'unagreed'>>> = {
  'autotranslate.linked-here': 'linked',
  'autotranslate.unagreed-here': 'unagreed',
};

/** A person of a space. */
interface Doer {
  readonly name: string;
  readonly space: Space;
}

/** The server, and the people, by whom a link was made or ended; what is not known is left out. */
export interface LinkNoticeParams {
  readonly server?: string;
  readonly asked?: Doer;
  readonly agreed?: Doer;
  /** Default: the person at work, for those of the same space alone. */
  readonly name?: string;
  /** The moderators who still pause a channel whose other pause ended: its own ones, or others. */
  readonly why?: 'own' | 'others';
  /** The doing of the space of channels elsewhere, or their end, by which they are linked no longer. */
  readonly cause?: 'left' | 'off' | 'changed' | 'deleted';
  /** The watches that were replaced. */
  readonly before?: readonly ChannelWatch[];
  /** The watches that were set, which may have rules from before their channels were turned off. */
  readonly set?: readonly ChannelWatch[];
}

/** Creates what tells channels of what became of their auto-translate elsewhere. */
export const createLinkNotices = (deps: LinkNoticesDeps) => {
  const { watches, platforms, texts, spaces, tell, moderators, languages: languageNames } = deps;

  /** Says what a link replaced in a channel, where that was no link. */
  const replacedBy = (
    { channel, mode }: ChannelWatch,
    before: readonly ChannelWatch[],
    t: TranslateRich,
    locale: string,
  ) => {
    const old = before.find((each) => isSameChannel(each.channel, channel));
    if (mode !== 'mirror' || !old || old.mode === 'mirror') return undefined;
    return replacedText(old, languageNames, t, locale, 'autotranslate.link-replaced');
  };

  /** Says that a channel that was set has rules, also those from before it was turned off. */
  const ruledBy = (channel: Channel, set: readonly ChannelWatch[], t: TranslateRich) => {
    const isSet = set.some((each) => isSameChannel(each.channel, channel));
    if (!isSet || !hasRules(watches.of(channel) ?? {})) return undefined;
    const entry = plainText(t('rules.panel'));
    return t('autotranslate.rules-hold', { channel: channelMention(channel), entry });
  };

  const offerFormer = (channel: Channel, t: TranslateRich, locale: string) =>
    formerOffer(channel, deps.formers.of, languageNames, { t, locale });

  /**
   * Tells channels that others were linked with them, or are no longer; each in its own language. The moderators are told
   * of those of other spaces. Never rejects: a failure is logged.
   */
  const tellLinks = async (
    readers: readonly ChannelWatch[],
    key: LinkNotice,
    about: readonly Channel[],
    { asked, agreed, name, cause, before = [], set = [], ...params }: LinkNoticeParams = {},
  ): Promise<void> => {
    const actor = currentActor();
    const told = new Set<string>();
    // At once: of a space that the bot was removed from, nothing is known for long.
    const named = await Promise.all(
      about.map(async (each) => {
        const server = cause && spaceElsewhere(each.space, platforms);
        return { each, name: await nameElsewhere(each, platforms), server: await server };
      }),
    );
    const tellReader = async (
      watch: ChannelWatch,
      which: LinkNotice,
      some: typeof named,
    ): Promise<void> => {
      const here = keyOf(watch.channel.space);
      const isOwn = ({ space }: Pick<Channel, 'space'>): boolean => keyOf(space) === here;
      const outside = some.filter(({ each }) => !isOwn(each)).map((one) => one.name);
      const isOfOthers = /\.(?:removed|held|unheld)-/.test(which);
      const what = !isOfOthers && ENDING.has(which) ? 'unlinked' : TOLD[which];
      const came = what === 'unagreed' ? some[0]?.each : undefined;
      if (outside.length > 0 && what) moderators.linked(watch.channel, what, outside, came);
      const person = name ?? (actor && isOwn(actor) ? actor.name : undefined);
      const list = some.map((one) => (isOwn(one.each) ? channelMention(one.each) : one.name));
      const language = noticeLanguage(watch, await spaces.of(watch.channel.space));
      const t = texts.rich(language, platforms.find(watch.channel)?.naming);
      const of = async (doer: Doer): Promise<string> =>
        isOwn(doer) ? quotedWords(doer.name) : personElsewhere(doer.name, doer.space, platforms);
      const by = asked && { asked: await of(asked) };
      const who =
        by && agreed
          ? t('autotranslate.link-agreed', { ...by, agreed: await of(agreed) })
          : by && t('autotranslate.link-added', by);
      const [from] = some;
      const because =
        cause &&
        from?.server !== undefined &&
        !isOwn(from.each) &&
        t('autotranslate.unlinked-why', { cause, server: from.server });
      const noted = {
        ...params,
        by: person === undefined ? 'space' : 'person',
        name: quotedWords(person ?? ''),
        channels: { list },
        count: list.length,
      };
      // Moderators read of one event once, and of each of their channels that is meant.
      const meant = which.endsWith('-here') ? channelKey(watch.channel) : here;
      if (isOfOthers && !told.has(meant)) {
        const said = { key: which, params: noted };
        const paused = which.endsWith('-here') ? watch.channel : some[0]?.each;
        if (/removed/.test(which) || !paused) moderators.told(watch.channel, said, 'links');
        else moderators.pauseTold(watch.channel, said, paused, /\.held/.test(which));
      }
      told.add(meant);
      const mayBeOff = ENDING.has(which) && which !== 'autotranslate.removed-here';
      const isOff = mayBeOff && !watches.isOwn(watch.channel);
      const replaced = replacedBy(watch, before, t, language);
      const ruled = which === 'autotranslate.linked-here' && ruledBy(watch.channel, set, t);
      const off = isOff && t('autotranslate.off-now');
      const hasEnded = isOff || which === 'autotranslate.removed-here';
      const former = hasEnded ? await offerFormer(watch.channel, t, language) : undefined;
      const more = [because, who, replaced, ruled, off, former?.text];
      const isPlain = which === 'autotranslate.unagreed-elsewhere';
      const controls = came ? agreeControls(watch.channel, came, t) : former && [former.control];
      void tell(watch.channel, lines(t(which, noted), ...(isPlain ? [] : more)), controls);
    };
    for (const watch of readers) {
      const group = watches.group(watch);
      const keyOfOne = ({ each }: (typeof named)[number]): LinkNotice => {
        if (isUnagreed(each, watch.channel, group)) return 'autotranslate.unagreed-here';
        return isUnagreed(watch.channel, each, group) ? 'autotranslate.unagreed-elsewhere' : key;
      };
      const isNew = key === 'autotranslate.linked-here';
      // Moderators agree to one server at a time.
      const partOf = (one: (typeof named)[number]): string => {
        const what = keyOfOne(one);
        return what === 'autotranslate.unagreed-here' ? keyOf(one.each.space) : what;
      };
      for (const some of isNew ? Map.groupBy(named, partOf).values() : [named]) {
        const what = isNew && some[0] ? keyOfOne(some[0]) : key;
        await logFailure(deps.log, 'a channel could not be told of its links', () =>
          tellReader(watch, what, some),
        );
      }
    }
  };

  /** Tells channels of a group, each but those that joined it, who added these; in short in the space of these. */
  const tellJoined = (
    group: readonly ChannelWatch[],
    joined: readonly Channel[],
    by: Changer,
  ): void => {
    const isNew = ({ channel }: ChannelWatch): boolean =>
      joined.some((one) => isSameChannel(one, channel));
    const readers = group.filter((each) => !isNew(each));
    const isOwn = ({ channel }: ChannelWatch): boolean =>
      joined.some(({ space }) => keyOf(space) === keyOf(channel.space));
    const here = readers.filter(isOwn);
    const elsewhere = readers.filter((each) => !isOwn(each));
    void tellLinks(here, 'autotranslate.joined-here', joined, { name: by.name });
    const asked = joined[0] && { name: by.name, space: joined[0].space };
    void tellLinks(elsewhere, 'autotranslate.linked-here', joined, { ...(asked && { asked }) });
  };

  /** Tells a channel of a change, by the watch that holds by then, in the language in which it reads, or that of the person at work. */
  const tellIn = (
    watch: ChannelWatch,
    by: Changer,
    lineOf: (t: TranslateRich, locale: string, current?: ChannelWatch) => SetupLine | undefined,
  ): void =>
    void logFailure(deps.log, 'a channel could not be told of a change', () =>
      deps.setupLines.tell(watch.channel, async () => {
        const { channel } = watch;
        const current = watches.isOwn(channel) ? watches.of(channel) : undefined;
        const known = readersLanguages(current ?? watch, await spaces.of(channel.space));
        const locale = texts.pick(known.length > 0 ? known : [by.locale]);
        return lineOf(texts.rich(locale, platforms.find(channel)?.naming), locale, current);
      }),
    );

  /** Tells a channel who turned auto-translate off for it, or paused it. */
  const tellOff = (
    watch: ChannelWatch,
    by: Changer | undefined,
    what: 'off-here' | 'paused-here' | 'paused-linked' | 'resumed-here' = 'off-here',
  ): void => {
    if (!by) return;
    const kind = what === 'off-here' ? 'off' : 'pause';
    tellIn(watch, by, (t, _, current) => {
      // Somebody else turned it on again.
      if (kind === 'off' && current) return undefined;
      return {
        kind,
        by: by.name,
        text: t(`autotranslate.${what}`, { name: quotedWords(by.name) }),
      };
    });
  };

  /**
   * Tells channels who turned auto-translate on for them, or changed it, and into what.
   *
   * @param before the watches of those that were told what becomes of their messages
   */
  const tellOn = (
    set: readonly ChannelWatch[],
    by: Changer,
    before: readonly ChannelWatch[],
  ): void => {
    for (const asked of set) {
      const { channel } = asked;
      const isOn = !before.some((each) => isSameChannel(each.channel, channel));
      tellIn(asked, by, (t, locale, watch = asked) => {
        const { mode, languages } = watch;
        const others = watches.group(watch).filter((each) => !isSameChannel(each.channel, channel));
        const into = mode === 'mirror' ? others.flatMap((each) => each.languages) : languages;
        const named = [...new Set(into)].map((code) => languageNames.name(code, locale));
        const list = new Intl.ListFormat(locale).format(named);
        const params = { name: quotedWords(by.name), languages: list, mode };
        const more = [
          replacedBy(watch, before, t, locale),
          mode === 'request' && t('autotranslate.request', { channel: channelMention(channel) }),
        ];
        const textOn = lines(t('autotranslate.on-here', params), ...more);
        return {
          kind: 'state',
          by: by.name,
          isOn,
          isLinked: mode === 'mirror',
          text: isOn ? textOn : lines(t('autotranslate.changed-here', params), ...more),
          textOn,
          ...(mode === 'request' && { controls: requestControls((key) => plainText(t(key))) }),
        };
      });
    }
  };

  return { tellLinks, tellJoined, tellOff, tellOn, offerFormer };
};
