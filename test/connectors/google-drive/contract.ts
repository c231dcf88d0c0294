import type { EntityContract } from '../contract.js';

const file =
  'id kind name mimeType description version webContentLink webViewLink iconLink thumbnailLink thumbnailVersion viewedByMeTime createdTime modifiedTime modifiedByMeTime sharedWithMeTime driveId folderColorRgb originalFilename fullFileExtension fileExtension md5Checksum sha1Checksum sha256Checksum size quotaBytesUsed headRevisionId resourceKey trashedTime starred trashed explicitlyTrashed hasThumbnail viewedByMe modifiedByMe shared ownedByMe viewersCanCopyContent copyRequiresWriterPermission writersCanShare isAppAuthorized parents spaces owners permissionIds contentRestrictions properties appProperties capabilities exportLinks shortcutDetails linkShareMetadata labelInfo imageMediaMetadata videoMediaMetadata sharingUser lastModifyingUser trashingUser';

/** The names promised by the connector's reference, repeated here independently of the manifest. */
export const contract: Record<string, EntityContract> = {
  files: {
    record: file,
    meta: 'nextPageToken incompleteSearch',
    actions: {
      list: 'pageSize? pageToken? q? orderBy? fields? spaces? corpora? driveId? includeItemsFromAllDrives? supportsAllDrives?',
      get: 'fileId fields? supportsAllDrives?',
      create: 'name mimeType? parents? description?',
      update: 'fileId name? description? mimeType? addParents? removeParents? supportsAllDrives?',
      delete: 'fileId supportsAllDrives?',
      download: 'fileId alt? acknowledgeAbuse? supportsAllDrives? range_header?',
    },
    metaExtensions: 'notes',
    extensions: {
      create: 'supportsAllDrives?',
      get: 'resourceKey?',
      update: 'resourceKey?',
      delete: 'resourceKey?',
      download: 'resourceKey?',
    },
    searchable: {
      string: 'id updated_at file_name file_path mime_type content content_version content_state content_cause',
      array: 'readers',
    },
    semantic: { content: { hit: 'id updated_at file_name file_path mime_type' } },
  },
  files_upload: {
    record: file,
    actions: {
      create: 'name file_content mimeType? parents? description? file_mime_type? uploadType? supportsAllDrives?',
    },
    extensions: { create: 'text? resume?' },
  },
  files_export: {
    actions: {
      download: 'fileId mimeType range_header?',
    },
    extensions: { download: 'resourceKey?' },
  },
  drives: {
    record:
      'id kind name colorRgb backgroundImageLink themeId createdTime orgUnitId backgroundImageFile capabilities restrictions hidden',
    meta: 'nextPageToken',
    actions: {
      list: 'pageSize? pageToken? q? useDomainAdminAccess?',
      get: 'driveId useDomainAdminAccess?',
    },
  },
  permissions: {
    record:
      'id kind type emailAddress domain role view displayName photoLink expirationTime allowFileDiscovery deleted pendingOwner teamDrivePermissionDetails permissionDetails',
    meta: 'nextPageToken',
    actions: {
      list: 'fileId pageSize? pageToken? supportsAllDrives? useDomainAdminAccess?',
      get: 'fileId permissionId supportsAllDrives? useDomainAdminAccess?',
    },
    extensions: { list: 'resourceKey?', get: 'resourceKey?' },
  },
  comments: {
    record:
      'id kind createdTime modifiedTime htmlContent content anchor assigneeEmailAddress author deleted resolved quotedFileContent replies mentionedEmailAddresses',
    meta: 'nextPageToken',
    actions: {
      list: 'fileId pageSize? pageToken? startModifiedTime? includeDeleted? fields?',
      get: 'fileId commentId includeDeleted? fields?',
    },
    extensions: { list: 'resourceKey?', get: 'resourceKey?' },
  },
  replies: {
    record:
      'id kind createdTime modifiedTime htmlContent content action author deleted assigneeEmailAddress mentionedEmailAddresses',
    meta: 'nextPageToken',
    actions: {
      list: 'fileId commentId pageSize? pageToken? includeDeleted? fields?',
      get: 'fileId commentId replyId includeDeleted? fields?',
    },
    extensions: { list: 'resourceKey?', get: 'resourceKey?' },
  },
  revisions: {
    record:
      'id kind mimeType modifiedTime publishedLink originalFilename md5Checksum size keepForever published publishAuto publishedOutsideDomain lastModifyingUser exportLinks',
    meta: 'nextPageToken',
    actions: {
      list: 'fileId pageSize? pageToken?',
      get: 'fileId revisionId',
    },
    extensions: { list: 'resourceKey?', get: 'resourceKey?' },
  },
  changes: {
    record: 'kind fileId driveId time type changeType removed file drive',
    meta: 'nextPageToken newStartPageToken',
    actions: {
      list: 'pageToken? pageSize? driveId? includeItemsFromAllDrives? supportsAllDrives? spaces? includeRemoved? restrictToMyDrive?',
    },
  },
  changes_start_page_token: {
    record: 'kind startPageToken!',
    actions: {
      get: 'driveId? supportsAllDrives?',
    },
  },
  about: {
    record:
      'kind user storageQuota importFormats exportFormats maxImportSizes maxUploadSize appInstalled canCreateDrives canCreateTeamDrives folderColorPalette driveThemes teamDriveThemes',
    actions: {
      get: 'fields?',
    },
  },
};
