import { ANSWERING } from '../rate-limiter.ts';
import { PLATFORM, spaceOf } from '../ids.ts';
import type { People, SlackUser } from '../people.ts';
import type { AnswerPlace } from './answer.ts';
import { escape, unescape, withUnicodeEmoji } from '../rich-text/atoms.ts';
import { parseMrkdwn } from '../rich-text/parse-mrkdwn.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Member, Space } from '../../../src/model/place.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';

/** A person who does something, by what Slack knows of them. */
export const memberOf = ({
  id,
  name,
  locale,
  timeZone,
  isAdmin,
  isAppointed,
  homeId,
}: SlackUser): Member => ({
  platform: PLATFORM,
  id,
  ...(homeId === undefined ? {} : { homeId }),
  name,
  locale: locale ?? 'en-US',
  ...(timeZone === undefined ? {} : { timeZone }),
  role: isAdmin || isAppointed ? 'moderator' : 'member',
  ...(isAppointed ? { isAppointed } : {}),
});

/**
 * Resolves with the person who uses something; with their id alone where Slack does not know them.
 * Rejects where Slack did not say who they are, and so what they may do.
 */
export const readMember = async (
  people: Pick<People, 'of'>,
  space: Space,
  id: string,
  name = id,
): Promise<Member> => {
  try {
    return memberOf(await people.of(space, id, ANSWERING));
  } catch (thrown) {
    if (toAppError(thrown).code !== 'not-found') throw thrown;
    return { platform: PLATFORM, id, homeId: space.id, name, locale: 'en-US', role: 'member' };
  }
};

/** Resolves with who uses something; with undefined where Slack does not say who they are, which they are told. */
export type ReadUser = (
  where: Omit<AnswerPlace, 'isPrivate'>,
  name?: string,
) => Promise<Member | undefined>;

/** The workspace in which somebody used the app. */
export const teamOf = (used: {
  readonly team: { readonly id: string } | null;
  readonly user: { readonly team_id?: string };
}): Space => spaceOf(used.team?.id ?? used.user.team_id ?? '');

/** Reads a text as Slack's commands give it. */
export const readTyped = (arrived: string): RichText => withUnicodeEmoji(parseMrkdwn(arrived));

/**
 * Creates the reader of what a person typed. Slack escapes three signs, which are unescaped in the
 * values of options; a text is read from how it arrived, so that a mention is told from its words.
 */
export const createTyped = (values: Readonly<Record<string, unknown>>) => {
  const arrived = new Map<string, string>();
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    plain[name] = typeof value === 'string' ? unescape(value) : value;
    if (typeof value === 'string') arrived.set(unescape(value), value);
  }
  return {
    options: plain,
    readText: (typed: string): RichText => readTyped(arrived.get(typed) ?? escape(typed)),
  };
};
