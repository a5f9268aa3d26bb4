# `cpack --config build/CPackConfig.cmake`: a .deb with the program, its configs and page, the Python client, man pages
# and completion. `stcsim train` needs python3-torch and `--svg` nodejs, which it suggests.
install(DIRECTORY python/stcsim DESTINATION lib/python3/dist-packages PATTERN __pycache__ EXCLUDE)
install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/scripts/manual.sh\" \"$<TARGET_FILE:stcsim>\"
  \"${PROJECT_SOURCE_DIR}/configs\" \"${PROJECT_BINARY_DIR}/manual\" COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/configs ${PROJECT_BINARY_DIR}/manual/schema
        DESTINATION ${CMAKE_INSTALL_DATADIR}/stcsim)
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${PROJECT_BINARY_DIR}/manual/stcsim.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME stcsim)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/stcsim RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stcsim)
set(CPACK_PACKAGE_CONTACT "The stcsim authors <stcsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nodejs, python3-pandas, python3-torch")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
include(CPack)
