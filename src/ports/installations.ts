import type { Space } from '../model/place.ts';

/** The stored secret of a space. */
export interface StoredSecret {
  readonly space: Space;
  /** Decrypts the secret. Throws `config` where no key of this process fits. */
  readonly open: () => string;
}

/** The spaces in which an app was installed, each with what its platform gave for it, encrypted. */
export interface InstallationStore {
  /** Resolves with the secret of a space as the adapter wrote it; undefined for an unknown space. */
  of(space: Space): Promise<string | undefined>;
  /** Resolves with what is stored of all spaces of a platform. */
  all(platform: string): Promise<readonly StoredSecret[]>;
  put(space: Space, secret: string): Promise<void>;
  /**
   * Stores another secret in place of the one that was read, in whichever way that is encrypted by now. False where
   * another one is stored meanwhile, or none.
   */
  replace(space: Space, before: string, after: string): Promise<boolean>;
  remove(space: Space): Promise<void>;
  /**
   * Calls `receive` for each change, in whichever process it was made; the write that makes it resolves once
   * `receive` has. Returns the function that ends this.
   *
   * @param receive gets `undefined` where changes may have been missed: any installation may have changed
   */
  watch(platform: string, receive: (space: Space | undefined) => Promise<void>): () => void;
}
