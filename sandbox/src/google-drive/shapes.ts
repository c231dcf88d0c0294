import { parseMask, type Shape } from './fields.js';

const user = 'kind,displayName,photoLink,me,permissionId,emailAddress';

const permission =
  'kind,id,type,emailAddress,domain,role,view,displayName,photoLink,expirationTime,allowFileDiscovery,deleted,pendingOwner,inheritedPermissionsDisabled,teamDrivePermissionDetails(teamDrivePermissionType,role,inheritedFrom,inherited),permissionDetails(permissionType,role,inheritedFrom,inherited)';

/** File capabilities, in Google's order. */
export const fileCapabilities = [
  'canAcceptOwnership',
  'canAddChildren',
  'canAddFolderFromAnotherDrive',
  'canAddMyDriveParent',
  'canChangeCopyRequiresWriterPermission',
  'canChangeSecurityUpdateEnabled',
  'canChangeViewersCanCopyContent',
  'canComment',
  'canCopy',
  'canDelete',
  'canDeleteChildren',
  'canDownload',
  'canEdit',
  'canListChildren',
  'canModifyContent',
  'canModifyContentRestriction',
  'canModifyEditorContentRestriction',
  'canModifyLabels',
  'canModifyOwnerContentRestriction',
  'canMoveChildrenOutOfDrive',
  'canMoveChildrenOutOfTeamDrive',
  'canMoveChildrenWithinDrive',
  'canMoveChildrenWithinTeamDrive',
  'canMoveItemIntoTeamDrive',
  'canMoveItemOutOfDrive',
  'canMoveItemOutOfTeamDrive',
  'canMoveItemWithinDrive',
  'canMoveItemWithinTeamDrive',
  'canMoveTeamDriveItem',
  'canReadDrive',
  'canReadLabels',
  'canReadRevisions',
  'canReadTeamDrive',
  'canRemoveChildren',
  'canRemoveContentRestriction',
  'canRemoveMyDriveParent',
  'canRename',
  'canShare',
  'canTrash',
  'canTrashChildren',
  'canUntrash',
] as const;

/** Shared drive capabilities. */
export const driveCapabilities = [
  'canAddChildren',
  'canChangeCopyRequiresWriterPermissionRestriction',
  'canChangeDomainUsersOnlyRestriction',
  'canChangeDriveBackground',
  'canChangeDriveMembersOnlyRestriction',
  'canChangeSharingFoldersRequiresOrganizerPermissionRestriction',
  'canComment',
  'canCopy',
  'canDeleteChildren',
  'canDeleteDrive',
  'canDownload',
  'canEdit',
  'canListChildren',
  'canManageMembers',
  'canReadRevisions',
  'canRename',
  'canRenameDrive',
  'canResetDriveRestrictions',
  'canShare',
  'canTrashChildren',
] as const;

const file = [
  'kind,driveId,fileExtension,copyRequiresWriterPermission,md5Checksum,contentHints(indexableText,thumbnail(image,mimeType))',
  `writersCanShare,viewedByMe,mimeType,exportLinks(*),parents,thumbnailLink,iconLink,shared,lastModifyingUser(${user})`,
  `owners(${user}),headRevisionId,sharingUser(${user}),webViewLink,webContentLink,size,viewersCanCopyContent`,
  `permissions(${permission}),hasThumbnail,spaces,folderColorRgb,id,name,description,starred,trashed,explicitlyTrashed`,
  'createdTime,modifiedTime,modifiedByMeTime,viewedByMeTime,sharedWithMeTime,quotaBytesUsed,version,originalFilename',
  'ownedByMe,fullFileExtension,properties(*),appProperties(*),isAppAuthorized,teamDriveId',
  `capabilities(${fileCapabilities.join(',')}),hasAugmentedPermissions,trashingUser(${user}),thumbnailVersion,trashedTime`,
  'modifiedByMe,permissionIds,imageMediaMetadata(width,height,rotation,colorSpace,cameraMake,cameraModel,time)',
  'videoMediaMetadata(width,height,durationMillis),shortcutDetails(targetId,targetMimeType,targetResourceKey)',
  `contentRestrictions(readOnly,reason,type,restrictingUser(${user}),restrictionTime,ownerRestricted,systemRestricted)`,
  'labelInfo(labels(id,revisionId)),sha1Checksum,sha256Checksum,inheritedPermissionsDisabled',
  'linkShareMetadata(securityUpdateEligible,securityUpdateEnabled),resourceKey',
].join(',');

const drive = `kind,id,name,colorRgb,backgroundImageFile(id,xCoordinate,yCoordinate,width),backgroundImageLink,capabilities(${driveCapabilities.join(',')}),themeId,createdTime,restrictions(copyRequiresWriterPermission,domainUsersOnly,driveMembersOnly,adminManagedRestrictions,sharingFoldersRequiresOrganizerPermission),hidden,orgUnitId`;

const reply = `kind,id,createdTime,modifiedTime,htmlContent,content,author(${user}),action,deleted,assigneeEmailAddress,mentionedEmailAddresses`;
const comment = `kind,id,createdTime,modifiedTime,htmlContent,content,author(${user}),deleted,resolved,anchor,replies(${reply}),quotedFileContent(mimeType,value),assigneeEmailAddress,mentionedEmailAddresses`;
const revision = `kind,id,mimeType,modifiedTime,keepForever,published,publishedLink,publishAuto,publishedOutsideDomain,lastModifyingUser(${user}),originalFilename,md5Checksum,size,exportLinks(*)`;
const change = `kind,removed,file(${file}),fileId,time,driveId,type,teamDriveId,teamDrive(kind,id,name,colorRgb,themeId,createdTime,backgroundImageLink),changeType,drive(${drive})`;
const theme = 'id,backgroundImageLink,colorRgb';
const about = `kind,storageQuota(limit,usageInDrive,usageInDriveTrash,usage),driveThemes(${theme}),canCreateDrives,importFormats(*),exportFormats(*),appInstalled,user(${user}),folderColorPalette,maxImportSizes(*),maxUploadSize,teamDriveThemes(${theme}),canCreateTeamDrives`;

/** All fields and the default fields of each resource. */
export const shapes = {
  file: shape(file, 'kind,id,name,mimeType'),
  fileList: shape(
    `kind,incompleteSearch,nextPageToken,files(${file})`,
    'kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)',
  ),
  drive: shape(drive, 'kind,id,name'),
  driveList: shape(`kind,nextPageToken,drives(${drive})`, 'kind,nextPageToken,drives(kind,id,name)'),
  permission: shape(permission, 'kind,id,type,role'),
  permissionList: shape(
    `kind,nextPageToken,permissions(${permission})`,
    'kind,nextPageToken,permissions(kind,id,type,role)',
  ),
  comment: shape(comment),
  commentList: shape(`kind,nextPageToken,comments(${comment})`),
  reply: shape(reply),
  replyList: shape(`kind,nextPageToken,replies(${reply})`),
  revision: shape(revision, 'kind,id,mimeType,modifiedTime'),
  revisionList: shape(
    `kind,nextPageToken,revisions(${revision})`,
    'kind,nextPageToken,revisions(kind,id,mimeType,modifiedTime)',
  ),
  changeList: shape(
    `kind,nextPageToken,newStartPageToken,changes(${change})`,
    'kind,nextPageToken,newStartPageToken,changes(kind,type,changeType,time,removed,fileId,driveId,file(kind,id,name,mimeType),drive(kind,id,name))',
  ),
  startPageToken: shape('kind,startPageToken', '*'),
  about: shape(about),
  generatedIds: shape('kind,space,ids', '*'),
};

/** Fields of a response type. */
export interface ReplyShape {
  allFields: Shape;
  /** Default fields; undefined if `fields` is required. */
  defaultFields: Shape | undefined;
}

function shape(all: string, defaultFields?: string): ReplyShape {
  return {
    allFields: parseMask(all),
    defaultFields: defaultFields === undefined ? undefined : parseMask(defaultFields),
  };
}
