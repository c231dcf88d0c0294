/** Every credential that a fresh sandbox knows, by what it is for. */
export interface GranolaCredentials {
  /** Sees every note: a personal key of Ines Carvalho with both scopes. */
  api_key: {
    /** API key. */
    api_key: string;
  };
  /** Sees the notes that Samuel Okafor owns or that were shared with him, and no others. */
  personal: {
    /** API key. */
    api_key: string;
  };
  /** Sees the notes that the whole workspace sees: a key that an administrator made. */
  workspace: {
    /** API key. */
    api_key: string;
  };
  /** A key whose every scope has been turned off: 403. */
  no_scope: {
    /** API key. */
    api_key: string;
  };
  /** A key of a workspace whose plan has lapsed: 403 with `SUBSCRIPTION_INACTIVE`. */
  inactive: {
    /** API key. */
    api_key: string;
  };
}

/** The credentials' values: made up, and of no use anywhere else. */
export const granolaCredentials: GranolaCredentials = {
  api_key: { api_key: 'grn_sandbox_full_access' },
  personal: { api_key: 'grn_sandbox_personal_notes' },
  workspace: { api_key: 'grn_sandbox_public_notes' },
  no_scope: { api_key: 'grn_sandbox_no_scope' },
  inactive: { api_key: 'grn_sandbox_lapsed_plan' },
};

/** What a key may see, and on whose account it is counted. */
export interface Grant {
  label: keyof GranolaCredentials;
  /** Whose allowance the requests are taken from: a person's, or the workspace's. */
  owner: string;
  /** The key of the person whose private notes it shows. */
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

/** What each key grants. */
export const grants: ReadonlyMap<string, Grant> = new Map([
  grantOf('api_key', 'ines.carvalho', { seesPersonal: true, seesPublic: true }),
  grantOf('personal', 'samuel.okafor', { seesPersonal: true }),
  grantOf('workspace', null, { seesPublic: true }),
  grantOf('no_scope', 'grace.mbeki', {}),
  grantOf('inactive', 'olga.petrova', { isActive: false, seesPersonal: true, seesPublic: true }),
]);
