/** All credentials of a fresh sandbox, by purpose. */
export interface GranolaCredentials {
  /** Sees every note: Ines Carvalho's personal key, with both scopes. */
  api_key: {
    /** API key. */
    api_key: string;
  };
  /** Sees only the notes that Samuel Okafor owns or that were shared with him. */
  personal: {
    /** API key. */
    api_key: string;
  };
  /** Sees the notes visible to the whole workspace: a key created by an administrator. */
  workspace: {
    /** API key. */
    api_key: string;
  };
  /** A key with all scopes disabled: 403. */
  no_scope: {
    /** API key. */
    api_key: string;
  };
  /** A key for a workspace whose plan has lapsed: 403 with `SUBSCRIPTION_INACTIVE`. */
  inactive: {
    /** API key. */
    api_key: string;
  };
}

/** Credential values: fictional, and useless anywhere else. */
export const granolaCredentials: GranolaCredentials = {
  api_key: { api_key: 'grn_sandbox_full_access' },
  personal: { api_key: 'grn_sandbox_personal_notes' },
  workspace: { api_key: 'grn_sandbox_public_notes' },
  no_scope: { api_key: 'grn_sandbox_no_scope' },
  inactive: { api_key: 'grn_sandbox_lapsed_plan' },
};

/** What a key can see, and whose rate limit it uses. */
export interface Grant {
  label: keyof GranolaCredentials;
  /** Owner of the rate limit: a person or the workspace. */
  owner: string;
  /** The person whose private notes the key can see. */
  person: string | null;
  seesPersonal: boolean;
  seesPublic: boolean;
  isActive: boolean;
}

function grantOf(label: Grant['label'], person: string | null, more: Partial<Grant>): [string, Grant] {
  const owner = person ?? 'workspace';
  const grant = { label, owner, person, seesPersonal: false, seesPublic: false, isActive: true, ...more };
  return [granolaCredentials[label].api_key, grant];
}

/** The grant of each key. */
export const grants: ReadonlyMap<string, Grant> = new Map([
  grantOf('api_key', 'ines.carvalho', { seesPersonal: true, seesPublic: true }),
  grantOf('personal', 'samuel.okafor', { seesPersonal: true }),
  grantOf('workspace', null, { seesPublic: true }),
  grantOf('no_scope', 'grace.mbeki', {}),
  grantOf('inactive', 'olga.petrova', { isActive: false, seesPersonal: true, seesPublic: true }),
]);
