import unhomoglyph from 'unhomoglyph';
import { userError } from '../../src/errors.ts';
import { SMALL_CAPITALS } from '../../src/text/speech/plain-letters.ts';
import { WEB_LIMITS } from './limits.ts';
import { createHash, randomBytes } from 'node:crypto';
import type { Texts } from '../../src/i18n/texts.ts';
import type { Member } from '../../src/model/place.ts';
import type { Services } from '../../src/command/services.ts';

/** The name under which we speak; nobody else has it. */
export const OUR_NAME = 'Dragoman';

const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Line breaks and bidirectional controls. */
const breaksAndBidi = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const accent = /[\u0300-\u036f]/g;

const withoutAccents = (text: string): string => text.normalize('NFKD').replace(accent, '');

/** The same text for letters that look alike (Unicode TR39), whatever their accents. */
const skeleton = (text: string): string => withoutAccents(unhomoglyph(withoutAccents(text)));

const folded = (text: string): string => skeleton(skeleton(text).toLowerCase());

/**
 * The keys by which a name is compared: names that share one look alike, case aside. There are
 * several, because letters that differ in one case look alike in the other.
 */
export const lookAlikeKeys = (name: string): ReadonlySet<string> => {
  const plain = Array.from(
    name.normalize('NFKC').replace(invisible, ''),
    // Neither NFKC nor the table of look-alikes has small capitals.
    (char) => SMALL_CAPITALS[char] ?? char,
  )
    .join('')
    .replaceAll(/\s+/gu, '');
  const forms = [folded(plain), skeleton(plain.toLowerCase()), folded(plain.toUpperCase())];
  return new Set(forms.filter((key) => key !== ''));
};

const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => !a.isDisjointFrom(b);

const OUR_KEYS = lookAlikeKeys(OUR_NAME);

/** True when a name, or one of its words, looks like ours. */
const isOurs = (name: string): boolean => {
  const words = withoutAccents(name.normalize('NFKC').replace(invisible, '')).split(
    /[^\p{L}\p{N}]+/u,
  );
  return [...words, words.join('')].some(
    (word) =>
      overlap(lookAlikeKeys(word), OUR_KEYS) ||
      overlap(lookAlikeKeys(word.replaceAll(/^\p{N}+|\p{N}+$/gu, '')), OUR_KEYS),
  );
};

/** Shortens a name so that it fits with what follows it. */
const fitting = (name: string, suffix = ''): string => {
  const [...chars] = name;
  while (chars.join('').length + suffix.length > WEB_LIMITS.nameChars) chars.pop();
  return `${chars.join('').trimEnd()}${suffix}`;
};

/** Makes one line of a name, without bidirectional controls. Normalising may lengthen it. */
const cleaned = (name: string): string =>
  fitting(name.normalize().replace(breaksAndBidi, ' ').trim());

/** The names in use, by the ids of those who have them. No two look alike. */
export const createNames = () => {
  const owners = new Map<string, string>();
  const claims = new Map<string, { readonly base: string; readonly keys: ReadonlySet<string> }>();

  const release = (id: string): void => {
    for (const key of claims.get(id)?.keys ?? []) owners.delete(key);
    claims.delete(id);
  };

  /** Most likely the lowest number that is free. */
  const firstNumber = (baseKey: string, id: string): number =>
    1 + [...claims].filter(([other, { base }]) => other !== id && base === baseKey).length;

  return {
    /**
     * Gives `id` the name, with a number where somebody else has one like it, in place of the former
     * one. Throws `bad-input` for a name that is ours or shows nothing.
     */
    claim: (id: string, typed: string): string => {
      const base = cleaned(typed);
      if (lookAlikeKeys(base).size === 0) throw userError('bad-input', 'web.errors.name-empty');
      if (isOurs(base)) throw userError('bad-input', 'web.errors.name-reserved');
      const [baseKey = ''] = lookAlikeKeys(base);
      let name = base;
      let number = Math.max(2, firstNumber(baseKey, id));
      let keys = lookAlikeKeys(name);
      while ([...keys].some((key) => (owners.get(key) ?? id) !== id)) {
        name = fitting(base, ` ${number}`);
        keys = lookAlikeKeys(name);
        number += 1;
      }
      release(id);
      claims.set(id, { base: baseKey, keys });
      for (const key of keys) owners.set(key, id);
      return name;
    },
    release,
  };
};

export const PLATFORM = 'web';

/** A person at a page. The page is the operator's own, so everybody on it moderates. */
export interface Profile extends Member {
  /** The language this person reads the lounge in. */
  readonly language: string;
}

export const newSecret = (): string => randomBytes(24).toString('base64url');

const publicId = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url').slice(0, 16);

/**
 * @param present the ids of those who are listening: they are never forgotten
 * @param isOperator true where nobody but the operator can open the page
 */
export const createProfiles = (
  texts: Texts,
  services: Services,
  present: () => readonly string[],
  isOperator: boolean,
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
    const needed = new Set([...present(), profile.id]);
    const oldest = profiles.keys().find((id) => !needed.has(id));
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
      put({ platform: PLATFORM, id, name, locale, role: 'moderator', isOperator, language });
      return profiles.get(id)!;
    },
    /** The id of the person who holds `secret`; empty for who holds none. */
    idOf: (secret: string | undefined): string => (secret === undefined ? '' : publicId(secret)),
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
