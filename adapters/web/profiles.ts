import { createHash, randomBytes } from 'node:crypto';
import type { Texts } from '../../src/i18n/texts.ts';
import type { Member } from '../../src/model/member.ts';
import type { Services } from '../../src/command/services.ts';
import { WEB_LIMITS } from './limits.ts';
import { createNames } from './names.ts';

export const PLATFORM = 'web';

/** A person at a page. The page is the operator's own, so everybody on it moderates. */
export interface Profile extends Member {
  /** The language this person reads the lounge in. */
  readonly language: string;
}

export const newSecret = (): string => randomBytes(24).toString('base64url');

const publicId = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url').slice(0, 16);

export type Profiles = ReturnType<typeof createProfiles>;

/** `present` are the ids of those who are listening: they are never forgotten. */
export const createProfiles = (
  texts: Texts,
  services: Services,
  present: () => readonly string[],
) => {
  const profiles = new Map<string, Profile>();
  const names = createNames();

  const guestName = (id: string, locale: string): string => {
    const offered = texts
      .in(locale)('web.guest-names')
      .split(/\s*[,、]\s*/u);
    const pick = Number.parseInt(createHash('sha256').update(id).digest('hex').slice(0, 8), 16);
    return offered[pick % offered.length] ?? id;
  };

  const ownLanguage = (locale: string): string =>
    services.languages.find(locale) ??
    services.languages.find(locale.split('-')[0] ?? locale) ??
    'en';

  const put = (profile: Profile): void => {
    profiles.delete(profile.id);
    profiles.set(profile.id, profile);
    if (profiles.size <= WEB_LIMITS.members) return;
    const kept = new Set([...present(), profile.id]);
    const oldest = profiles.keys().find((id) => !kept.has(id));
    if (oldest === undefined) return;
    profiles.delete(oldest);
    names.release(oldest);
  };

  const change = (id: string, part: Partial<Profile>): void => {
    const profile = profiles.get(id);
    if (profile) put({ ...profile, ...part });
  };

  const chosenLanguage = async (id: string, locale: string): Promise<string> => {
    const chosen = await services.settings.of({ platform: PLATFORM, id });
    return chosen.language ?? ownLanguage(locale);
  };

  return {
    /** The person who holds `secret`; made on first sight. Only the hash of the secret is ever shown. */
    know: async (secret: string, locale: string): Promise<Profile> => {
      const id = publicId(secret);
      const language = profiles.get(id)?.language ?? (await chosenLanguage(id, locale));
      const name = profiles.get(id)?.name ?? names.claim(id, guestName(id, locale));
      put({ platform: PLATFORM, id, name, locale, role: 'moderator', language });
      return profiles.get(id)!;
    },
    get: (id: string): Profile | undefined => profiles.get(id),
    /** Returns the locale of the page that the holder of `secret` has open. */
    localeOf: (secret: string): string | undefined => profiles.get(publicId(secret))?.locale,
    /**
     * Gives a person a name, with a number where somebody has one like it. Throws `bad-input` for a
     * name that nobody may have.
     */
    rename: (id: string, name: string): void => {
      if (profiles.has(id)) change(id, { name: names.claim(id, name) });
    },
    /** Forgets the name that a person chose. */
    forgetName: (id: string): void => {
      const profile = profiles.get(id);
      if (profile) change(id, { name: names.claim(id, guestName(id, profile.locale)) });
    },
    /** Sets the reading language and keeps it as the person's own setting. */
    read: async (id: string, language: string): Promise<void> => {
      await services.settings.change({ platform: PLATFORM, id }, { language });
      change(id, { language });
    },
    /** Takes over what a command may have changed; true when the reading language is another now. */
    refresh: async (id: string): Promise<boolean> => {
      const before = profiles.get(id);
      if (!before) return false;
      const language = await chosenLanguage(id, before.locale);
      if (language === before.language) return false;
      change(id, { language });
      return true;
    },
  };
};
